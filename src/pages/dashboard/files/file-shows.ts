/** Which files of the site are shown; all by default. */
export const fileShows = ['all', 'images', 'videos', 'waiting', 'nsfw', 'trash'] as const
export type FileShow = (typeof fileShows)[number]
