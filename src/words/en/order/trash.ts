/** Deleted files, which can still be restored. */
export const trash = {
  trash: 'Trash',
  trashedOne: 'Moved to the trash.',
  trashEmpty: 'The trash is empty',
  trashEmptyText: (days: string) => `Deleted files stay here for ${days} days and can be restored.`,
  trashText: (days: string) =>
    `Files are removed for good after ${days} days. Until then only you and the administrators see them.`,
  trashFile: 'File',
  trashSince: 'Deleted',
  trashUntil: 'Removed for good',
  trashNote: 'This file is in the trash: nothing of it is at any public address.',
  removedByStaff: 'Removed by an administrator',
  removedByStaffNote:
    'An administrator removed this file. Only an administrator can restore it; you can delete it for good.',
  removedByStaffText: 'Only an administrator can restore these files. You can delete them for good.',
  removalReasonIs: (reason: string) => `Reason: ${reason}`,
  removalReason: 'Reason',
  removalReasonHint: 'For files that you reject or delete. Their owners see it. At most 500 characters.',
  restore: 'Restore',
  restoreAll: 'Restore all',
  emptyTrash: 'Empty the trash',
  emptyTrashTitle: 'Empty the trash?',
  emptyTrashText: 'All files in it are removed for good, with all links to them. That cannot be undone.',
  trashRest: 'More files are in the trash. Do it once more to go on.',
  trashKeyRestore: 'Restore',
  trashKeyRemove: 'Remove for good',
}
