import type { PageRoute } from '../page-call.ts'
import { getBrandPicture, getBrandSheet, getProfilePicture } from '../pictures.ts'
import { showApiGuide } from './api-guide.ts'
import { getManifest } from './manifest.ts'
import { getServiceWorker, showOffline } from './offline.ts'
import { getFavicon, getRobots, getSitemap } from './robots-and-sitemap.ts'
import { showPage } from './show-page.ts'

/** Pages to read, and what programs ask every site for. */
export const textPages: readonly PageRoute[] = [
  { method: 'GET', path: '/page/{key}', access: 'anyone', handle: showPage },
  { method: 'GET', path: '/api-v1', access: 'anyone', handle: showApiGuide },
  { method: 'GET', path: '/robots.txt', access: 'anyone', needsNoSecondStep: true, handle: getRobots },
  { method: 'GET', path: '/sitemap.xml', access: 'anyone', needsNoSecondStep: true, handle: getSitemap },
  {
    method: 'GET',
    path: '/favicon.ico',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getFavicon,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/manifest.webmanifest',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getManifest,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/service-worker.js',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getServiceWorker,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/-/offline',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: showOffline,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/-/brand/{name}',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getBrandPicture,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/-/people/{id}/{hash}',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getProfilePicture,
    isAsset: true,
  },
  {
    method: 'GET',
    path: '/-/brand-{name}',
    access: 'anyone',
    needsNoSecondStep: true,
    handle: getBrandSheet,
    isAsset: true,
  },
]
