import type { Sending } from '../uploads.ts'

interface Client {
  name: string
  sends: Sending
  /** Must be there. */
  reads: string
  /** Must be just so. */
  expects?: Record<string, unknown>
}

/** What public clients send, and what they read of the answer. */
export function clientsOf(key: string, png: Buffer): readonly Client[] {
  const base64 = png.toString('base64')
  const { part, text, form, multi } = bodiesOf(png)
  return [
    {
      name: 'imgbb-uploader, first mode',
      sends: form({ source: base64, key }),
      reads: 'image.url',
      expects: { error: undefined },
    },
    {
      name: 'imgbb-uploader, second mode',
      sends: { ...form({ image: base64 }), path: B, query: { key, name: 'n', expiration: '600' } },
      reads: 'data.url',
      expects: { error: undefined, 'data.title': 'n', 'data.expiration': 600 },
    },
    {
      name: 'imgbb',
      sends: { ...form({ image: base64, key, name: 'n', expiration: '600' }), path: B },
      reads: 'data.image.size data.thumb.size',
    },
    {
      name: 'imgbb-api',
      sends: multi('/1//upload', text('key', key), part('image', 'cat.png'), text('expiration', '600')),
      reads: 'data.url',
    },
    {
      name: 'imgbb-api with base64',
      sends: multi('/1//upload', text('key', key), text('image', base64)),
      reads: 'data.url',
    },
    {
      name: 'imgbb-image-uploader',
      sends: { ...multi(B, part('image', 'cat.png')), query: { key, expiration: '600', name: 'n' } },
      reads: 'data.url',
    },
    {
      name: 'imgbb-uploader-api',
      sends: { ...multi(B, text('image', base64)), query: { key, expiration: '600' } },
      reads: 'data.url',
    },
    {
      name: 'imgbbjs',
      sends: { ...form({ key, image: base64, name: '' }), path: B },
      reads: 'data.url status_txt',
      expects: ok,
    },
    {
      name: 'express-imgbb',
      sends: { ...multi(B, text('name', 'n'), text('image', base64)), query: { key, expiration: '600' } },
      reads: 'data.url',
    },
    {
      name: 'freeimage.js',
      sends: form({ key, image: base64 }),
      reads: 'image.url image.display_url',
      expects: ok,
    },
    {
      name: 'picgo web-uploader',
      sends: {
        ...multi(`${A}/`, text('key', key), part('source', 'cat.png')),
        headers: { contentType: 'multipart/form-data', 'user-agent': 'PicGo' },
      },
      reads: 'image.url',
    },
    {
      name: 'picgo freeimagehost-uploader',
      sends: form({ key, action: 'upload', source: base64, format: 'json' }),
      reads: 'image.url',
      expects: ok,
    },
    {
      name: 'picgo-plugin-cheveretov4',
      sends: multi(
        A,
        part('source', 'cat.png'),
        text('format', 'json'),
        text('album_id', ''),
        text('category_id', ''),
        text('description', ''),
        text('key', key),
      ),
      reads: 'image.url',
      expects: ok,
    },
    {
      name: 'typora2chevereto',
      sends: form({ key, source: base64, format: 'json' }),
      reads: 'image.url',
      expects: ok,
    },
    {
      name: 'Chevereto-Uploader',
      sends: {
        ...multi(`${A}/`, part('source', '/home/me/Pictures/cat.png')),
        query: { key, format: 'json' },
      },
      reads: 'image.url',
      expects: { 'image.original_filename': 'cat.png' },
    },
    {
      name: 'nodebb-plugin-chevereto',
      sends: { ...multi(`${A}/`, part('source', 'cat.png')), query: { key } },
      reads: 'image.name image.url',
    },
    {
      name: 'koishi-plugin',
      sends: {
        ...multi(A, part('source', '1.jpeg'), text('expiration', 'PT5M'), text('key', key)),
        headers: { 'x-api-key': key },
      },
      reads: 'image.url image.expiration_date_gmt',
      expects: ok,
    },
    {
      name: 'obsidian-chevereto-image-uploader',
      sends: { ...form({ key, source: base64 }), headers: { origin: 'app://obsidian.md' } },
      reads: 'image.url',
    },
    {
      name: 'obsidian-imgbb-uploader',
      sends: {
        ...multi(B, part('image', 'cat.png'), text('key', key)),
        query: { key, expiration: '600' },
        headers: { origin: 'app://obsidian.md' },
      },
      reads: 'data.display_url',
    },
    {
      name: 'images-upload-cli',
      sends: multi(A, text('key', key), part('source', 'upload')),
      reads: 'image.url',
    },
    {
      name: 'images-upload-cli, other host',
      sends: multi(B, text('key', key), part('image', 'upload')),
      reads: 'data.url',
    },
    {
      name: 'imgbbpy',
      sends: { ...form({ key, name: 'n', image: base64, expiration: '600' }), path: B },
      reads:
        'data.id data.url data.size data.expiration data.delete_url data.image.filename data.image.mime data.image.extension',
    },
    {
      name: 'imgbb-sdk',
      sends: { ...form({ image: base64, name: 'n' }), path: B, query: { key, expiration: '600' } },
      reads: 'data.url success',
      expects: { status: 200 },
    },
    {
      name: 'Differential',
      sends: multi(A, text('key', key), part('source', 'cat.png')),
      reads: 'image.url',
    },
    {
      name: 'ImgBB in Go',
      sends: {
        ...multi(B, text('key', key), text('expiration', '600'), part('image', 'cat.png')),
        headers: { origin: 'https://imgbb.com', referer: 'https://imgbb.com/' },
      },
      reads: 'data.id data.title data.time',
      expects: {
        success: true,
        status: 200,
        'data.expiration': 600,
        'data.width': 600,
        'data.height': 300,
        'data.size': png.length,
      },
    },
    {
      name: 'ShareX, built in',
      sends: {
        ...multi(A, text('key', key), text('format', 'json'), part('source', 'Gr\u00fc\u00dfe \u6f22.png')),
        headers: { expect: '100-continue' },
      },
      reads: 'image.url image.url_viewer image.thumb.url',
      expects: { 'image.original_filename': 'Gr\u00fc\u00dfe \u6f22.png' },
    },
    {
      name: 'ShareX imgbb.com.sxcu',
      sends: { ...multi(B, part('image', 'cat.png')), query: { key } },
      reads: 'data.url data.thumb.url data.delete_url',
    },
    {
      name: 'zenden2k',
      sends: {
        ...multi(A, part('source', 'cat.png'), text('format', 'json')),
        headers: { 'x-api-key': key },
      },
      reads: 'image.url image.url_viewer image.thumb.url image.delete_url',
      expects: ok,
    },
  ]
}

export const A = '/api/1/upload'
export const B = '/1/upload'
const ok = { status_code: 200 }

/** Bodies without a key in the header. */
export function bodiesOf(png: Buffer) {
  const bare = { key: null } as const
  return {
    part: (name: string, fileName: string) => ({ name, value: png, fileName }),
    text: (name: string, value: string) => ({ name, value }),
    form: (fields: Record<string, string>): Sending => ({ ...bare, form: fields }),
    multi: (path: string, ...parts: Sending['parts'] & object): Sending => ({ ...bare, path, parts }),
  }
}
