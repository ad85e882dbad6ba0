import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request as a driver sends it. */
export interface Scene {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers: Record<string, string>
  /** The name of the file that holds the body. */
  body?: string
}

export function readScene(fixture: string, name: string): Scene {
  const scenes = JSON.parse(readFileSync(join(fixture, 'scenes.json'), 'utf8')) as Record<string, Scene>
  const scene = scenes[name]
  if (!scene) throw new Error(`There is no scene "${name}".`)
  return scene
}
