/* SPDX-License-Identifier: GPL-2.0 */
/* A header of custom events, here of none: its passes alone are tested. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM registry_test_custom

#if !defined(_STROBE_EVENT_REGISTRY_TEST_CUSTOM_H) || defined(TRACE_CUSTOM_MULTI_READ)
#define _STROBE_EVENT_REGISTRY_TEST_CUSTOM_H

#include <linux/trace_events.h>

#endif /* _STROBE_EVENT_REGISTRY_TEST_CUSTOM_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH event
#define TRACE_INCLUDE_FILE registry_test_custom
#include <trace/define_custom_trace.h>
