import { parentPort } from 'node:worker_threads'
import { renderMarkdown } from './markdown.ts'
import { tableMark } from './rendered-text.ts'

// The thread of `rendered-text.ts`. A text that takes too long ends it, and not the server.
parentPort?.on('message', (text: string) => parentPort?.postMessage(renderMarkdown(text, tableMark).markup))
parentPort?.postMessage('ready')
