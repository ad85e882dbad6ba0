import { installationApi } from './api/installation-api.ts'
import { deleteKey, getKey, getKeys, patchKey, postKey, rotateKey } from './api/media-v5/account/keys.ts'
import { getMe, patchMe } from './api/media-v5/account/me.ts'
import { deleteSession, deleteSessions, getSessions, postSession } from './api/media-v5/account/sessions.ts'
import { getAudit, getAuditExport } from './api/media-v5/admin/audit.ts'
import { deleteNamedPreset, getPreset, getPresets, putNamedPreset } from './api/media-v5/admin/presets.ts'
import { getQuotas } from './api/media-v5/admin/quotas.ts'
import { getSettings, patchSettings } from './api/media-v5/admin/settings.ts'
import { deletePage, getPage, getPages, patchPage, postPage } from './api/media-v5/admin/site-pages.ts'
import { getStats } from './api/media-v5/admin/stats.ts'
import { getOwnUsage, getUsage } from './api/media-v5/admin/usage.ts'
import {
  deleteUserEndpoint,
  deleteUserTotp,
  getUser,
  getUsers,
  patchUser,
  postUser,
} from './api/media-v5/admin/users.ts'
import { deleteAlbumLike, postOrder, putAlbumLike } from './api/media-v5/albums/album-order.ts'
import { deleteAlbum, getAlbum, getAlbums, patchAlbum, postAlbum } from './api/media-v5/albums/albums.ts'
import { descriptionEndpoint, mediaApi } from './api/media-v5/description.ts'
import { postBulk } from './api/media-v5/files/bulk-files.ts'
import { deleteFile, patchFile, postRestore } from './api/media-v5/files/edit-files.ts'
import {
  deleteCategory,
  getCategories,
  patchCategory,
  postCategory,
} from './api/media-v5/files/labels/categories.ts'
import { deleteTag, getTags, patchTag } from './api/media-v5/files/labels/tags.ts'
import { deleteLike, putLike } from './api/media-v5/files/like-files.ts'
import { getFile, getFiles } from './api/media-v5/files/read-files.ts'
import { postReport } from './api/media-v5/files/report-files.ts'
import { getRevisions, postRevert, putContent } from './api/media-v5/files/revisions.ts'
import { postFile } from './api/media-v5/files/upload-files.ts'
import type { MediaRoute } from './api/media-v5/media-endpoint.ts'
import { postShareFile } from './api/media-v5/shares/collect-files.ts'
import { openShare } from './api/media-v5/shares/open-share.ts'
import {
  deleteShare,
  getShare,
  getShares,
  patchShare,
  postAlbumShare,
  postFileShare,
  postShare,
} from './api/media-v5/shares/shares.ts'
import { postSign } from './api/media-v5/signing/sign.ts'
import { getSigningKey, postRotateSigningKey } from './api/media-v5/signing/signing-key.ts'
import { patchResumable, postToResumable } from './api/media-v5/uploads/append-uploads.ts'
import { postResumable } from './api/media-v5/uploads/create-uploads.ts'
import {
  deleteResumable,
  getResumable,
  getResumables,
  headResumable,
} from './api/media-v5/uploads/read-uploads.ts'
import { getControlAudit, getControlAuditExport } from './api/tenants-v4/audit.ts'
import { verifyAuth } from './api/tenants-v4/auth.ts'
import { deleteExportEndpoint, getExport, getExportArchive, postExport } from './api/tenants-v4/exports.ts'
import { deletePlanEndpoint, getPlan, getPlans, patchPlan, postPlan } from './api/tenants-v4/plans.ts'
import { postPlanPreview, postTenantPreview } from './api/tenants-v4/preview.ts'
import { getProxyConfiguration, getTraefikConfiguration } from './api/tenants-v4/proxy.ts'
import { getTenantQuotas } from './api/tenants-v4/quotas.ts'
import {
  deleteTenantEndpoint,
  getEffective,
  getTenant,
  getTenants,
  patchPassword,
  patchTenant,
  postInstall,
  postTenant,
} from './api/tenants-v4/tenants.ts'
import { getAllUsage, getTenantUsage } from './api/tenants-v4/usage.ts'
import {
  getUpload,
  getUploadAtAlias,
  postUpload,
  postUploadAtAlias,
  unknownCall,
} from './api/upload-v1/endpoints.ts'
import { file } from './delivery/get-file.ts'
import type { DescribedRoute, Route } from './http/endpoint.ts'
import { getLive, getReady } from './http/monitoring/health.ts'
import { getMetrics } from './http/monitoring/metrics.ts'
import { getTlsAsk } from './http/monitoring/tls-ask.ts'
import { openApiOf } from './http/openapi/openapi.ts'
import type { SiteRoute } from './http/site-route.ts'
import { docsEndpoint, openApiEndpoint } from './pages/docs/endpoints.ts'
import { deletion, deletionForm, deletionPage, oembed, passwordForm, viewer } from './pages/endpoints.ts'
import { postPreferences } from './pages/preferences.ts'
import {
  sharedFilePage,
  sharedFilePasswordForm,
  sharePage,
  sharePasswordForm,
  shareRemovalForm,
  shareUploadForm,
  shareZip,
} from './pages/shared/endpoints.ts'

/** Every address of the control plane. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/_/api/4/auth/verify', endpoint: verifyAuth },
  { method: 'GET', path: '/_/api/4/audit', endpoint: getControlAudit },
  { method: 'GET', path: '/_/api/4/audit/export', endpoint: getControlAuditExport },
  { method: 'GET', path: '/_/api/4/config/proxy', endpoint: getProxyConfiguration },
  { method: 'GET', path: '/_/api/4/config/traefik', endpoint: getTraefikConfiguration },
  { method: 'GET', path: '/_/api/4/tenants', endpoint: getTenants },
  { method: 'POST', path: '/_/api/4/tenants', endpoint: postTenant },
  { method: 'GET', path: '/_/api/4/tenants/{id}', endpoint: getTenant },
  { method: 'PATCH', path: '/_/api/4/tenants/{id}', endpoint: patchTenant },
  { method: 'DELETE', path: '/_/api/4/tenants/{id}', endpoint: deleteTenantEndpoint },
  { method: 'GET', path: '/_/api/4/tenants/{id}/effective', endpoint: getEffective },
  { method: 'POST', path: '/_/api/4/tenants/{id}/preview', endpoint: postTenantPreview },
  { method: 'POST', path: '/_/api/4/tenants/{id}/export', endpoint: postExport },
  { method: 'GET', path: '/_/api/4/tenants/{id}/exports/{export}', endpoint: getExport },
  { method: 'DELETE', path: '/_/api/4/tenants/{id}/exports/{export}', endpoint: deleteExportEndpoint },
  { method: 'GET', path: '/_/api/4/tenants/{id}/exports/{export}/archive', endpoint: getExportArchive },
  { method: 'GET', path: '/_/api/4/tenants/{id}/usage', endpoint: getTenantUsage },
  { method: 'GET', path: '/_/api/4/tenants/{id}/quotas', endpoint: getTenantQuotas },
  { method: 'GET', path: '/_/api/4/usage', endpoint: getAllUsage },
  { method: 'POST', path: '/_/api/4/tenants/{id}/install', endpoint: postInstall },
  { method: 'PATCH', path: '/_/api/4/tenants/{id}/user-password-reset', endpoint: patchPassword },
  { method: 'GET', path: '/_/api/4/tenants-plans', endpoint: getPlans },
  { method: 'POST', path: '/_/api/4/tenants-plans', endpoint: postPlan },
  { method: 'GET', path: '/_/api/4/tenants-plans/{id}', endpoint: getPlan },
  { method: 'PATCH', path: '/_/api/4/tenants-plans/{id}', endpoint: patchPlan },
  { method: 'DELETE', path: '/_/api/4/tenants-plans/{id}', endpoint: deletePlanEndpoint },
  { method: 'POST', path: '/_/api/4/tenants-plans/{id}/preview', endpoint: postPlanPreview },
  { method: 'GET', path: '/_/tls/ask', endpoint: getTlsAsk },
  { method: 'GET', path: '/_/health/live', endpoint: getLive },
  { method: 'GET', path: '/_/health/ready', endpoint: getReady },
  { method: 'GET', path: '/_/metrics', endpoint: getMetrics },
  { method: 'GET', path: '/_/openapi.json', endpoint: openApiEndpoint(installationDocument) },
  { method: 'GET', path: '/_/docs', endpoint: docsEndpoint(installationDocument, siteApiDocument) },
  { method: 'POST', path: '/_/preferences', endpoint: postPreferences },
]

const uploadRoutes: readonly SiteRoute[] = [
  { method: 'POST', path: '/api/1/upload', endpoint: postUpload },
  { method: 'GET', path: '/api/1/upload', endpoint: getUpload, hasHead: false },
  { method: 'POST', path: '/1/upload', endpoint: postUploadAtAlias },
  { method: 'GET', path: '/1/upload', endpoint: getUploadAtAlias, hasHead: false },
  { method: 'POST', path: '/api/{version}/{action}', endpoint: unknownCall },
  { method: 'GET', path: '/api/{version}/{action}', endpoint: unknownCall, hasHead: false },
]

const deliveryRoutes: readonly SiteRoute[] = [
  { method: 'GET', path: '/images/*', endpoint: file },
  { method: 'GET', path: '/image/{name}', endpoint: viewer('image') },
  { method: 'GET', path: '/video/{name}', endpoint: viewer('video') },
  { method: 'POST', path: '/image/{name}', endpoint: passwordForm('image') },
  { method: 'POST', path: '/video/{name}', endpoint: passwordForm('video') },
  { method: 'GET', path: '/oembed', endpoint: oembed },
  { method: 'GET', path: '/image/{id}/delete/{token}', endpoint: deletionPage('image') },
  { method: 'POST', path: '/image/{id}/delete/{token}', endpoint: deletionForm('image') },
  { method: 'DELETE', path: '/image/{id}/delete/{token}', endpoint: deletion('image') },
  { method: 'GET', path: '/video/{id}/delete/{token}', endpoint: deletionPage('video') },
  { method: 'POST', path: '/video/{id}/delete/{token}', endpoint: deletionForm('video') },
  { method: 'DELETE', path: '/video/{id}/delete/{token}', endpoint: deletion('video') },
]

const shareRoutes: readonly SiteRoute[] = [
  { method: 'GET', path: '/share/{token}', endpoint: sharePage },
  { method: 'POST', path: '/share/{token}', endpoint: sharePasswordForm },
  { method: 'POST', path: '/share/{token}/files', endpoint: shareUploadForm },
  { method: 'POST', path: '/share/{token}/files/{id}/remove', endpoint: shareRemovalForm },
  { method: 'GET', path: '/share/{token}/zip', endpoint: shareZip },
  { method: 'GET', path: '/share/{token}/{id}', endpoint: sharedFilePage },
  { method: 'POST', path: '/share/{token}/{id}', endpoint: sharedFilePasswordForm },
]

/** Every address of a site, by API. The router, the Allow header and the OpenAPI document follow this list. */
export const siteRoutes: readonly SiteRoute[] = [...uploadRoutes, ...deliveryRoutes, ...shareRoutes]

const albumsOfSite: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/albums', endpoint: getAlbums },
  { method: 'POST', path: '/api/5/albums', endpoint: postAlbum },
  { method: 'GET', path: '/api/5/albums/{id}', endpoint: getAlbum },
  { method: 'PATCH', path: '/api/5/albums/{id}', endpoint: patchAlbum },
  { method: 'DELETE', path: '/api/5/albums/{id}', endpoint: deleteAlbum },
  { method: 'POST', path: '/api/5/albums/{id}/order', endpoint: postOrder },
  { method: 'PUT', path: '/api/5/albums/{id}/like', endpoint: putAlbumLike },
  { method: 'DELETE', path: '/api/5/albums/{id}/like', endpoint: deleteAlbumLike },
  { method: 'POST', path: '/api/5/albums/{id}/shares', endpoint: postAlbumShare },
  { method: 'POST', path: '/api/5/files/{id}/shares', endpoint: postFileShare },
  { method: 'GET', path: '/api/5/shares', endpoint: getShares },
  { method: 'POST', path: '/api/5/shares', endpoint: postShare },
  { method: 'POST', path: '/api/5/shares/open', endpoint: openShare },
  { method: 'GET', path: '/api/5/shares/{id}', endpoint: getShare },
  { method: 'PATCH', path: '/api/5/shares/{id}', endpoint: patchShare },
  { method: 'DELETE', path: '/api/5/shares/{id}', endpoint: deleteShare },
  { method: 'POST', path: '/api/5/shares/{token}/files', endpoint: postShareFile },
  { method: 'POST', path: '/api/5/sign', endpoint: postSign },
]

const filesOfSite: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/files', endpoint: getFiles },
  { method: 'POST', path: '/api/5/files', endpoint: postFile },
  { method: 'POST', path: '/api/5/files/bulk', endpoint: postBulk },
  { method: 'GET', path: '/api/5/files/{id}', endpoint: getFile },
  { method: 'PATCH', path: '/api/5/files/{id}', endpoint: patchFile },
  { method: 'DELETE', path: '/api/5/files/{id}', endpoint: deleteFile },
  { method: 'POST', path: '/api/5/files/{id}/restore', endpoint: postRestore },
  { method: 'PUT', path: '/api/5/files/{id}/content', endpoint: putContent },
  { method: 'GET', path: '/api/5/files/{id}/revisions', endpoint: getRevisions },
  { method: 'POST', path: '/api/5/files/{id}/revert', endpoint: postRevert },
  { method: 'PUT', path: '/api/5/files/{id}/like', endpoint: putLike },
  { method: 'DELETE', path: '/api/5/files/{id}/like', endpoint: deleteLike },
  { method: 'POST', path: '/api/5/files/{id}/reports', endpoint: postReport },
]

const uploadsOfSite: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/uploads', endpoint: getResumables },
  { method: 'POST', path: '/api/5/uploads', endpoint: postResumable },
  { method: 'GET', path: '/api/5/uploads/{id}', endpoint: getResumable, hasHead: false },
  { method: 'HEAD', path: '/api/5/uploads/{id}', endpoint: headResumable },
  { method: 'POST', path: '/api/5/uploads/{id}', endpoint: postToResumable },
  { method: 'PATCH', path: '/api/5/uploads/{id}', endpoint: patchResumable },
  { method: 'DELETE', path: '/api/5/uploads/{id}', endpoint: deleteResumable },
]

/** Users, settings, pages and totals, for administrators and managers. */
const peopleOfSite: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/users', endpoint: getUsers },
  { method: 'POST', path: '/api/5/users', endpoint: postUser },
  { method: 'GET', path: '/api/5/users/{id}', endpoint: getUser },
  { method: 'PATCH', path: '/api/5/users/{id}', endpoint: patchUser },
  { method: 'DELETE', path: '/api/5/users/{id}', endpoint: deleteUserEndpoint },
  { method: 'DELETE', path: '/api/5/users/{id}/totp', endpoint: deleteUserTotp },
  { method: 'GET', path: '/api/5/settings', endpoint: getSettings },
  { method: 'PATCH', path: '/api/5/settings', endpoint: patchSettings },
  { method: 'GET', path: '/api/5/presets', endpoint: getPresets },
  { method: 'GET', path: '/api/5/presets/{name}', endpoint: getPreset },
  { method: 'PUT', path: '/api/5/presets/{name}', endpoint: putNamedPreset },
  { method: 'DELETE', path: '/api/5/presets/{name}', endpoint: deleteNamedPreset },
  { method: 'GET', path: '/api/5/signing-key', endpoint: getSigningKey },
  { method: 'POST', path: '/api/5/signing-key/rotate', endpoint: postRotateSigningKey },
  { method: 'GET', path: '/api/5/pages', endpoint: getPages },
  { method: 'POST', path: '/api/5/pages', endpoint: postPage },
  { method: 'GET', path: '/api/5/pages/{id}', endpoint: getPage },
  { method: 'PATCH', path: '/api/5/pages/{id}', endpoint: patchPage },
  { method: 'DELETE', path: '/api/5/pages/{id}', endpoint: deletePage },
  { method: 'GET', path: '/api/5/stats', endpoint: getStats },
  { method: 'GET', path: '/api/5/usage', endpoint: getUsage },
  { method: 'GET', path: '/api/5/quotas', endpoint: getQuotas },
  { method: 'GET', path: '/api/5/audit', endpoint: getAudit },
  { method: 'GET', path: '/api/5/audit/export', endpoint: getAuditExport },
]

const labelsOfSite: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/tags', endpoint: getTags },
  { method: 'PATCH', path: '/api/5/tags/{name}', endpoint: patchTag },
  { method: 'DELETE', path: '/api/5/tags/{name}', endpoint: deleteTag },
  { method: 'GET', path: '/api/5/categories', endpoint: getCategories },
  { method: 'POST', path: '/api/5/categories', endpoint: postCategory },
  { method: 'PATCH', path: '/api/5/categories/{id}', endpoint: patchCategory },
  { method: 'DELETE', path: '/api/5/categories/{id}', endpoint: deleteCategory },
]

/** Every address of a site's own API. */
export const mediaRoutes: readonly MediaRoute[] = [
  { method: 'GET', path: '/api/5/me', endpoint: getMe },
  { method: 'PATCH', path: '/api/5/me', endpoint: patchMe },
  { method: 'GET', path: '/api/5/me/usage', endpoint: getOwnUsage },
  { method: 'GET', path: '/api/5/keys', endpoint: getKeys },
  { method: 'POST', path: '/api/5/keys', endpoint: postKey },
  { method: 'GET', path: '/api/5/keys/{id}', endpoint: getKey },
  { method: 'PATCH', path: '/api/5/keys/{id}', endpoint: patchKey },
  { method: 'DELETE', path: '/api/5/keys/{id}', endpoint: deleteKey },
  { method: 'POST', path: '/api/5/keys/{id}/rotate', endpoint: rotateKey },
  { method: 'GET', path: '/api/5/sessions', endpoint: getSessions },
  { method: 'POST', path: '/api/5/sessions', endpoint: postSession },
  { method: 'DELETE', path: '/api/5/sessions', endpoint: deleteSessions },
  { method: 'DELETE', path: '/api/5/sessions/{id}', endpoint: deleteSession },
  ...filesOfSite,
  ...uploadsOfSite,
  ...albumsOfSite,
  ...peopleOfSite,
  ...labelsOfSite,
  { method: 'GET', path: '/api/5/openapi.json', endpoint: descriptionEndpoint(() => mediaRoutes) },
]

/** The document of the installation. */
export function installationDocument() {
  return openApiOf(describedRoutes, installationApi)
}

/** The document of the sites' own API. */
export function siteApiDocument() {
  return openApiOf(mediaRoutes, mediaApi)
}

/** What the OpenAPI document of the installation describes; that of a site's own API is `/api/5/openapi.json`. */
export const describedRoutes: readonly DescribedRoute[] = [...siteRoutes, ...routes]
