// SPDX-License-Identifier: GPL-2.0
/*
 * Creation of the tracing directory at boot.
 *
 * Contexts: boot. Locks: strobe_event_mutex and strobe_instance_mutex around changes that other
 * tasks may see.
 */
#define pr_fmt(fmt) "strobe: " fmt

#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/mount.h>
#include <linux/security.h>
#include <linux/tracefs.h>

#include "event/event.h"
#include "fs/fs.h"

/* Legacy location: automount tracefs on debugfs's tracing directory. */
static struct vfsmount *mount_below_debugfs(struct dentry *point, void *unused)
{
	struct file_system_type *type = get_fs_type("tracefs");
	struct vfsmount *mnt;

	if (!type)
		return NULL;
	mnt = vfs_submount(point, type, "tracefs", NULL);
	put_filesystem(type);
	return IS_ERR(mnt) ? NULL : mntget(mnt);
}

static struct instance_observer fs_observer = {
	.added		= strobe_fs_instance_show,
	.removing	= strobe_fs_instance_hide,
};

/* Hold strobe_event_mutex, so that no module adds or removes events meanwhile. */
static void __init create_top(struct fs_instance *fsi)
{
	guard(mutex)(&strobe_event_mutex);
	scoped_guard(mutex, &strobe_instance_mutex) {
		fsi->tr->fs = fsi;
		if (strobe_fs_part)
			strobe_fs_part->create(fsi->tr, fsi->dir);
	}
	strobe_instance_observer_register(&fs_observer);
	strobe_fs_events_init();
	strobe_fs_events_create(fsi);
}

static int __init fs_init(void)
{
	struct fs_instance *fsi;

	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("Tracing disabled due to lockdown\n");
		return 0;
	}
	if (tracing_is_disabled() || WARN_ON(!tracefs_initialized()))
		return 0;

	debugfs_create_automount("tracing", NULL, mount_below_debugfs, NULL);

	fsi = strobe_fs_instance_alloc(top_instance);
	if (!fsi) {
		pr_warn("no memory for the files of tracefs\n");
		return -ENOMEM;
	}
	/* Ignore errors: a missing file is no reason to omit the others. */
	create_top(fsi);
	strobe_fs_files_create(fsi);
	strobe_fs_top_files_create(fsi);
	strobe_fs_instances_create();
	return 0;
}
fs_initcall(fs_init);
