/** Every kind of change that the audit log records. An upload is none: its row is the file's own. */
export const auditVerbs = [
  ...(['setting.changed'] as const),
  ...(['user.created', 'user.updated', 'user.deleted'] as const),
  ...(['key.created', 'key.updated', 'key.deleted'] as const),
  ...(['provider.created', 'provider.updated', 'provider.deleted'] as const),
  ...(['session.created', 'session.ended', 'session.failed'] as const),
  ...(['page.created', 'page.updated', 'page.deleted'] as const),
  ...(['album.created', 'album.updated', 'album.deleted'] as const),
  ...(['share.created', 'share.updated', 'share.revoked'] as const),
  ...(['tag.created', 'tag.updated', 'tag.deleted'] as const),
  ...(['category.created', 'category.updated', 'category.deleted'] as const),
  ...(['file.updated', 'file.replaced', 'file.approved', 'file.rejected'] as const),
  ...(['file.trashed', 'file.restored', 'file.removed'] as const),
  ...(['file.reported', 'file.kept'] as const),
  ...(['call.refused', 'audit.signed'] as const),
] as const

export type AuditVerb = (typeof auditVerbs)[number]

export const isAuditVerb = (text: string): text is AuditVerb =>
  (auditVerbs as readonly string[]).includes(text)
