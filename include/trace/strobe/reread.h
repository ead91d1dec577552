/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TRACE_INCLUDE(TRACE_INCLUDE_FILE), by which a pass includes the header again.
 * Included once before the passes, and once after them to undo all definitions
 * but those of the header itself. Another such header may have left its TRACE_INCLUDE.
 */
#ifndef __STROBE_REREAD
#define __STROBE_REREAD

#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#define __STROBE_INCLUDE_FILE_DEFAULT
#endif

#ifdef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(file) __stringify(TRACE_INCLUDE_PATH/file.h)
#else
#define __TRACE_INCLUDE(file) <trace/events/file.h>
#endif

/* Another level of expansion, so that @file is the value of TRACE_INCLUDE_FILE. */
#define TRACE_INCLUDE(file) __TRACE_INCLUDE(file)

#ifndef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR TRACE_SYSTEM
#endif

#else /* __STROBE_REREAD */

#undef __STROBE_REREAD
#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE

#ifdef __STROBE_INCLUDE_FILE_DEFAULT
#undef TRACE_INCLUDE_FILE
#undef __STROBE_INCLUDE_FILE_DEFAULT
#endif

#endif /* __STROBE_REREAD */
