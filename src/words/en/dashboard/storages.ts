/** The storages of the dashboard. */
export const dashboardStorages = {
  storageRuled:
    'The operator of this installation decides where files are stored and how many. Nothing on this page can be changed here.',
  storageRules: 'What the operator has set',
  storageKind: 'Files are stored',
  storageKinds: { disk: 'on the disk of the server', s3: 'in a bucket (S3)' },
  storageMost: 'Most bytes of all files, with their smaller versions',
  storageMostFiles: 'Most files',
  storageMostUpload: 'Largest file',
  storageReserved: (size: string) => `${size} more are reserved for uploads that are not finished.`,
  storageByKind: 'By kind of file',
  storageByUser: 'By user',
  storageEarlier: 'Earlier bytes of replaced files',
  storageTrash: (files: string, size: string) =>
    `In the trash: ${files} (${size}). Files there take storage, but do not count as files.`,
  storageGuests: 'Guests',
  storageAllUsers: 'All users by storage',
}
