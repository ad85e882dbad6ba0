/** The examples of the OpenAPI document. Tests check them against the schemas and send them. */
const stats = {
  tags: 0,
  files: 0,
  pages: 0,
  users: 1,
  admins: 1,
  albums: 0,
  managers: 0,
  storages: 0,
  cron_time: 0,
  categories: 0,
  file_likes: 0,
  file_views: 0,
  album_likes: 0,
  album_views: 0,
  storage_used: 0,
  login_providers: 0,
}

export const newTenantExample = {
  id: 'cats',
  hostname: 'cats.example.com',
  is_enabled: true,
  plan_id: 'small',
  limits: { SERVICE_MAX_FILES: '1000' },
  env: { SERVICE_ENABLE_SIGNUP: '1' },
}

export const tenantExample = {
  id: 'cats',
  hostname: 'cats.example.com',
  is_enabled: true,
  created_at: '2026-11-15 08:30:00',
  updated_at: '2026-11-15 08:30:00',
  plan_id: 'small',
  limits: { SERVICE_MAX_FILES: '1000' },
  env: { SERVICE_ENABLE_SIGNUP: '1' },
  stats,
  last_job_at: null,
}

export const previewExample = {
  effective: {
    SERVICE_MAX_FILES: { from: '0', to: '1000', level: 'tenant_limits', from_level: 'default' },
  },
  exceeded: [{ limit: 'SERVICE_MAX_FILES', value: 1_000, used: 1_200 }],
  refused: ['SERVICE_MAX_FILES'],
  moves: false,
}

export const newPlanExample = { id: 'small', limits: { SERVICE_MAX_USERS: '10', SERVICE_MAX_STORAGE: '5G' } }

export const planExample = {
  id: 'small',
  limits: { SERVICE_MAX_USERS: '10', SERVICE_MAX_STORAGE: '5G' },
  env: null,
  created_at: '2026-11-15 08:30:00',
  updated_at: '2026-11-15 08:30:00',
}

export const installExample = { username: 'ada', email: 'ada@example.com', password: 'correct horse battery' }
