import { postPassword } from './delivery/ask-password.ts'
import { deleteByLink, getDeletion, postDeletion } from './delivery/delete-link.ts'
import { getFile } from './delivery/get-file.ts'
import { getOembed } from './delivery/oembed.ts'
import { getViewer } from './delivery/view-file.ts'
import { docsEndpoint, openApiEndpoint } from './describe.ts'
import type { Route } from './endpoint.ts'
import { getLive, getReady } from './health.ts'
import { getHome } from './home.ts'
import { getMetrics } from './metrics.ts'
import type { SiteRoute } from './site-route.ts'
import { verifyAuth } from './tenants-v4/auth.ts'
import { deletePlanEndpoint, getPlan, getPlans, patchPlan, postPlan } from './tenants-v4/plans.ts'
import { getProxyConfiguration, getTraefikConfiguration } from './tenants-v4/proxy.ts'
import {
  deleteTenantEndpoint,
  getEffective,
  getTenant,
  getTenants,
  patchPassword,
  patchTenant,
  postInstall,
  postTenant,
} from './tenants-v4/tenants.ts'
import { getTlsAsk } from './tls-ask.ts'
import { takeUpload } from './upload-v1/take-upload.ts'
import { refuseUnknownCall } from './upload-v1/unknown-call.ts'

/** Every address of the control plane. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/_/api/4/auth/verify', endpoint: verifyAuth },
  { method: 'GET', path: '/_/api/4/config/proxy', endpoint: getProxyConfiguration },
  { method: 'GET', path: '/_/api/4/config/traefik', endpoint: getTraefikConfiguration },
  { method: 'GET', path: '/_/api/4/tenants', endpoint: getTenants },
  { method: 'POST', path: '/_/api/4/tenants', endpoint: postTenant },
  { method: 'GET', path: '/_/api/4/tenants/{id}', endpoint: getTenant },
  { method: 'PATCH', path: '/_/api/4/tenants/{id}', endpoint: patchTenant },
  { method: 'DELETE', path: '/_/api/4/tenants/{id}', endpoint: deleteTenantEndpoint },
  { method: 'GET', path: '/_/api/4/tenants/{id}/effective', endpoint: getEffective },
  { method: 'POST', path: '/_/api/4/tenants/{id}/install', endpoint: postInstall },
  { method: 'PATCH', path: '/_/api/4/tenants/{id}/user-password-reset', endpoint: patchPassword },
  { method: 'GET', path: '/_/api/4/tenants-plans', endpoint: getPlans },
  { method: 'POST', path: '/_/api/4/tenants-plans', endpoint: postPlan },
  { method: 'GET', path: '/_/api/4/tenants-plans/{id}', endpoint: getPlan },
  { method: 'PATCH', path: '/_/api/4/tenants-plans/{id}', endpoint: patchPlan },
  { method: 'DELETE', path: '/_/api/4/tenants-plans/{id}', endpoint: deletePlanEndpoint },
  { method: 'GET', path: '/_/tls/ask', endpoint: getTlsAsk },
  { method: 'GET', path: '/_/health/live', endpoint: getLive },
  { method: 'GET', path: '/_/health/ready', endpoint: getReady },
  { method: 'GET', path: '/_/metrics', endpoint: getMetrics },
  { method: 'GET', path: '/_/openapi.json', endpoint: openApiEndpoint(() => routes) },
  { method: 'GET', path: '/_/docs', endpoint: docsEndpoint(() => routes) },
]

/** Every address of a site. */
export const siteRoutes: readonly SiteRoute[] = [
  { method: 'GET', path: '/', handle: getHome },
  { method: 'POST', path: '/api/1/upload', handle: takeUpload },
  { method: 'GET', path: '/api/1/upload', handle: takeUpload, hasHead: false },
  { method: 'POST', path: '/1/upload', handle: takeUpload },
  { method: 'GET', path: '/1/upload', handle: takeUpload, hasHead: false },
  { method: 'POST', path: '/api/{version}/{action}', handle: refuseUnknownCall },
  { method: 'GET', path: '/api/{version}/{action}', handle: refuseUnknownCall, hasHead: false },
  { method: 'GET', path: '/images/*', handle: getFile },
  { method: 'GET', path: '/image/{name}', handle: getViewer('image') },
  { method: 'GET', path: '/video/{name}', handle: getViewer('video') },
  { method: 'POST', path: '/image/{name}', handle: postPassword('image') },
  { method: 'POST', path: '/video/{name}', handle: postPassword('video') },
  { method: 'GET', path: '/oembed', handle: getOembed },
  { method: 'GET', path: '/image/{id}/delete/{token}', handle: getDeletion('image') },
  { method: 'POST', path: '/image/{id}/delete/{token}', handle: postDeletion('image') },
  { method: 'DELETE', path: '/image/{id}/delete/{token}', handle: deleteByLink('image') },
  { method: 'GET', path: '/video/{id}/delete/{token}', handle: getDeletion('video') },
  { method: 'POST', path: '/video/{id}/delete/{token}', handle: postDeletion('video') },
  { method: 'DELETE', path: '/video/{id}/delete/{token}', handle: deleteByLink('video') },
]
