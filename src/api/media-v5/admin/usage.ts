import { Type } from 'typebox'
import {
  readUsageQuery,
  UsageObject,
  usageCsv,
  usageParameters,
  writeUsage,
} from '../../../http/wire/usage.ts'
import {
  siteColumns,
  type UsageColumns,
  type UsageRange,
  type UsageRow,
  userColumns,
} from '../../../site/index.ts'
import { readSiteUsage, readUserUsage } from '../../../tenants/index.ts'
import type { MediaAnswer, MediaCall, MediaEndpoint } from '../media-endpoint.ts'
import { scopedRefusals } from '../responses.ts'
import { userOf } from '../rules/call-parts.ts'

export const getUsage: MediaEndpoint = {
  tag: 'Statistics',
  summary: 'Read the usage of the site by day',
  description:
    'What was done on each day in UTC, and what was there at its end. Uploads, files, stored bytes ' +
    'and users count at once; the rest within 15 seconds. Days before the site was created, days ' +
    'to come, and days that are older than `SERVICE_USAGE_DAYS` are left out.',
  access: 'see-statistics',
  query: Type.Object(usageParameters),
  responses: { 200: responseOf(siteColumns), ...scopedRefusals },
  handle: (call) => answer(call, siteColumns, (range) => readSiteUsage(call.app.control, call.site, range)),
}

export const getOwnUsage: MediaEndpoint = {
  tag: 'Statistics',
  summary: 'Read your own usage by day',
  description: 'What you uploaded, and what was downloaded and viewed of your files.',
  access: 'read',
  query: Type.Object(usageParameters),
  responses: { 200: responseOf(userColumns), ...scopedRefusals },
  handle: (call) =>
    answer(call, userColumns, (range) =>
      readUserUsage(call.app.control, call.site, userOf(call).userId, range),
    ),
}

function responseOf(columns: UsageColumns) {
  return {
    description: 'The usage.',
    schema: UsageObject(columns),
    headers: { 'Content-Disposition': 'With `format=csv`, the name of the file' },
    alternatives: { 'text/csv': 'With `format=csv`: a line of names, then one line for each row.' },
  }
}

async function answer(
  { query, site }: MediaCall,
  columns: UsageColumns,
  read: (range: UsageRange) => Promise<UsageRow[]>,
): Promise<MediaAnswer> {
  const { range, isCsv } = readUsageQuery(query, site.clock.now())
  const rows = await read(range)
  if (isCsv) return { status: 200, lines: usageCsv(columns, rows) }
  return { status: 200, body: writeUsage(range, columns, rows) }
}
