import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import type { Inspector } from '../db/index.ts'
import type { Site } from '../site/index.ts'
import type { Note } from './finding.ts'
import type { KnownSite } from './known-sites-table.ts'

interface Check {
  name: string
  /** What holds where it finds nothing. */
  about: string
}

/** What is there before the installation is opened: opening it would make or migrate what is missing. */
export interface Ground {
  config: Config
  inspector: Inspector
}

export interface GroundCheck extends Check {
  look(ground: Ground, note: Note): Promise<void>
}

export interface Installation extends Ground {
  app: App
}

export interface InstallationCheck extends Check {
  look(installation: Installation, note: Note): Promise<void>
}

/** One site as it was at one moment. */
export interface SiteUnderCare extends Installation {
  known: KnownSite
  /** Its rows do not move while they are looked at. */
  site: Site
  /** As it is now, for another look, and to mend it. */
  live: Site
}

export interface SiteCheck extends Check {
  /** Reads every byte, so that it is made only when it is asked for, and of the rows as they are then. */
  isDeep?: boolean
  look(site: SiteUnderCare, note: Note): Promise<void>
}

export const dayMs = 86_400_000
