import assert from 'node:assert/strict'
import { test } from 'vitest'
import { smtpServerOf } from '../../src/mail/mailer.ts'

test('STARTTLS is required of every mail server but one on this machine, with a verified certificate', () => {
  const required = { secure: false, requireTLS: true, tls: { rejectUnauthorized: true } }
  const optional = { secure: false, requireTLS: false, tls: { rejectUnauthorized: false } }
  for (const [url, expected] of [
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, ...required }],
    ['smtp://mail.example.com:25?starttls=optional', { host: 'mail.example.com', port: 25, ...optional }],
    ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, ...optional }],
    ['smtp://[::1]', { host: '::1', port: 587, ...optional }],
    ['smtp://localhost', { host: 'localhost', port: 587, ...optional }],
    ['smtp://localhost?starttls=required', { host: 'localhost', port: 587, ...required }],
    ['smtp://localhost.example.com', { host: 'localhost.example.com', port: 587, ...required }],
    ['smtps://127.0.0.1', { host: '127.0.0.1', port: 465, secure: true, tls: { rejectUnauthorized: true } }],
  ] as const)
    assert.deepEqual(smtpServerOf(url), expected, url)
})
