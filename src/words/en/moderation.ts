/** The queue and the files of the dashboard. */
export const dashboardFiles = {
  queuePart: 'Queue',
  queueEmpty: 'Nothing waits',
  queueEmptyText: 'Uploads that wait for approval appear here. Until then only their owner sees them.',
  queueEmptyOff: 'Uploads are seen at once: no upload waits for approval. That is a setting of this site.',
  approve: 'Approve',
  reject: 'Reject',
  approveMarked: 'Approve the marked',
  rejectMarked: 'Reject the marked',
  keyApprove: 'Approve the first file',
  keyReject: 'Reject the first file',
  moderationTitle: 'Who has to wait',
  moderationLabel: 'Uploads that wait for approval',
  moderations: { off: 'None', guest: 'Those of guests', all: 'All but those of the staff' },
  guest: 'Guest',
  mark: 'Mark',
  markFiles: 'Mark at least one file first.',
  filesDone: {
    approve: {
      one: (count: string) => `${count} file approved.`,
      other: (count: string) => `${count} files approved.`,
    },
    keep: {
      one: (count: string) => `${count} file kept.`,
      other: (count: string) => `${count} files kept.`,
    },
    reject: {
      one: (count: string) => `${count} file rejected.`,
      other: (count: string) => `${count} files rejected.`,
    },
    trash: {
      one: (count: string) => `${count} file moved to the trash.`,
      other: (count: string) => `${count} files moved to the trash.`,
    },
    restore: {
      one: (count: string) => `${count} file restored.`,
      other: (count: string) => `${count} files restored.`,
    },
  },
  filesUndone: {
    one: (count: string) => `Undone for ${count} file.`,
    other: (count: string) => `Undone for ${count} files.`,
  },
  filesNotChanged: {
    one: (count: string) => `${count} file was changed meanwhile and stays as it is.`,
    other: (count: string) => `${count} files were changed meanwhile and stay as they are.`,
  },
  fileShows: {
    all: 'All',
    images: 'Pictures',
    videos: 'Videos',
    waiting: 'Waiting',
    nsfw: 'Not safe for everyone',
    trash: 'Trash',
  },
  searchFiles: 'Search files',
  fileOwner: 'Owner',
  viewsColumn: 'Views',
  uploadedAt: 'Uploaded',
  state: 'State',
  stateWaiting: 'Waits',
  statePrivate: 'Private',
}
