// Run as a process of its own: holds the write lock of a SQLite file until its input ends.
import Database from 'better-sqlite3'

const database = new Database(process.argv[2] ?? '', { fileMustExist: true })
database.exec('begin immediate')
console.log('held')
process.stdin.once('close', () => database.close()).resume()
