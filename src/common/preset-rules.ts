/** What the options of a preset may be. The tool reads this without loading the service. */

export const presetWords = {
  fit: ['scale-down', 'contain', 'inside', 'cover', 'crop', 'pad'],
  format: ['auto', 'avif', 'webp', 'jpeg', 'jpg', 'png', 'origin'],
  position: [
    'center',
    'top',
    'right',
    'bottom',
    'left',
    'top-left',
    'top-right',
    'bottom-left',
    'bottom-right',
  ],
} as const

/** The largest numbers. */
export const presetBounds = { width: 4096, height: 4096, quality: 100 } as const

/** Sources of patterns. */
export const presetNameForm = '^[a-z0-9][a-z0-9_-]{0,31}$'
export const presetGroundForm = '^(?:[0-9A-Fa-f]{6}|transparent)$'

export const isPresetName = (name: string): boolean => new RegExp(presetNameForm).test(name)
