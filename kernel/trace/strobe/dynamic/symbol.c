// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols as places of kprobes: "SYMBOL" or "MODULE:SYMBOL".
 *
 * Contexts: task. No state. Locks: what kallsyms and the module loader take.
 */
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "dynamic/kprobe.h"

/**
 * struct symbol_count - how many symbols have a name
 * @name: the name
 * @nr:   their number
 */
struct symbol_count {
	const char	*name;
	unsigned int	nr;
};

static int count_match(void *data, unsigned long addr)
{
	struct symbol_count *count = data;

	count->nr++;
	return 0;
}

static int count_if_equal(void *data, const char *name, unsigned long addr)
{
	struct symbol_count *count = data;

	count->nr += !strcmp(name, count->name);
	return 0;
}

/**
 * strobe_symbol_check_in - whether a symbol names one place
 * @module: the module's name; NULL: the kernel and all modules
 * @name:   the symbol's name
 *
 * Context: task, may sleep.
 * Return: 0; -ENOENT if there is no such symbol; -EADDRNOTAVAIL if there are several
 */
int strobe_symbol_check_in(const char *module, const char *name)
{
	struct symbol_count count = { .name = name };

	if (!module)
		kallsyms_on_each_match_symbol(count_match, name, &count);
	module_kallsyms_on_each_symbol(module, count_if_equal, &count);
	if (!count.nr)
		return -ENOENT;
	return count.nr > 1 ? -EADDRNOTAVAIL : 0;
}

/* Copy the name of the module in "MODULE:SYMBOL". Return: the symbol's name */
static const char *split_module(const char *symbol, char module[MODULE_NAME_LEN])
{
	const char *colon = strchr(symbol, ':');

	if (!colon)
		return symbol;
	strscpy(module, symbol, min_t(size_t, colon - symbol + 1, MODULE_NAME_LEN));
	return colon + 1;
}

#ifdef CONFIG_MODULES
/* Return: the module with a reference; NULL if it is not there, or about to go */
static struct module *module_get(const char *name)
{
	struct module *mod;

	guard(preempt)();
	mod = find_module(name);
	return mod && try_module_get(mod) ? mod : NULL;
}

/**
 * strobe_symbol_module_is_there - whether the place may not come with a module
 * @symbol: the symbol; NULL: none
 *
 * Context: task.
 * Return: true if the symbol is not of a module, or of one that is loaded or being loaded
 */
bool strobe_symbol_module_is_there(const char *symbol)
{
	char module[MODULE_NAME_LEN];

	if (!symbol)
		return false;
	if (split_module(symbol, module) == symbol)
		return true;
	guard(preempt)();
	return find_module(module);
}
#else
static struct module *module_get(const char *name)
{
	return NULL;
}

bool strobe_symbol_module_is_there(const char *symbol)
{
	return false;
}
#endif

/**
 * strobe_symbol_check - whether a symbol names one place, as far as can be known now
 * @symbol: the symbol
 *
 * Context: task, may sleep.
 * Return: as strobe_symbol_check_in(); 0 if its module is not loaded
 */
int strobe_symbol_check(const char *symbol)
{
	char module[MODULE_NAME_LEN];
	const char *name = split_module(symbol, module);
	struct module *mod;
	int ret;

	if (name == symbol)
		return strobe_symbol_check_in(NULL, name);
	mod = module_get(module);
	if (!mod)
		return 0;
	ret = strobe_symbol_check_in(module, name);
	module_put(mod);
	return ret;
}
