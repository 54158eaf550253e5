import { describe, expect, it } from 'vitest'
import { ErrorPage } from '../pages/error-page.js'
import { inEnglish } from '../test-support/english.js'
import { htmlResponse } from './html-response.js'

const send = (options: Partial<Parameters<typeof htmlResponse>[1]> = {}) => {
  const {
    words = inEnglish,
    theme = {},
    secure = true,
    title = 'Error',
    status = 403,
    scripts,
  } = options
  const page = ErrorPage({ theme, words, base: '/auth', error: 'AccessDenied' })
  return htmlResponse(page, { words, title, theme, status, secure, scripts })
}

function directives(response: Response): Map<string, string> {
  const policy = response.headers.get('Content-Security-Policy') ?? ''
  return new Map(policy.split('; ').map((part) => part.split(/ (.*)/s) as [string, string]))
}

describe('htmlResponse', () => {
  it('sends a whole document with its status', async () => {
    const response = await send({ title: 'No <entry>' })
    const body = await response.text()
    expect(response.status).toBe(403)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(body).toMatch(/^<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/)
    expect(body).toContain('<title>No &lt;entry&gt;</title>')
    expect(body).toContain('<main>')
  })

  it('allows its own style sheet by hash and no script at all', async () => {
    const response = await send({ theme: { brandColor: '#0a7' } })
    const policy = directives(response)
    const body = await response.text()
    const css = body.match(/<style>(.*?)<\/style>/s)?.[1] ?? ''
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(css))
    const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'style-src': `'sha256-${hash}'`,
      'img-src': 'https: data:',
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
    expect(body).not.toMatch(/<script|\sstyle=|\son\w+=/i)
  })

  it('allows a script of its own by hash alone, which may ask its own origin', async () => {
    const code = 'document.title = "<!-- </b>"'
    const response = await send({ scripts: [{ code }] })
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code))
    const policy = directives(response)
    expect(policy.get('script-src')).toBe(
      `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`,
    )
    expect(policy.get('connect-src')).toBe("'self'")
    expect(policy.has('frame-src')).toBe(false)
    expect(await response.text()).toContain(`<script>${code}</script>`)
  })

  it('lets a silent script of its own ask no host, unless another one asks', async () => {
    const silent = { code: 'document.title = 1', isSilent: true } as const
    const alone = directives(await send({ scripts: [silent] }))
    expect([alone.has('script-src'), alone.has('connect-src')]).toEqual([true, false])
    const both = directives(await send({ scripts: [silent, { code: 'fetch("")' }] }))
    expect(both.get('connect-src')).toBe("'self'")
  })

  it('allows a script of another origin that origin, and no address of its own', async () => {
    const src = 'https://scripts.example/v1/api.js?x=1&y=2'
    const response = await send({ scripts: [{ src }] })
    const policy = directives(response)
    expect(policy.get('script-src')).toBe('https://scripts.example')
    expect(policy.get('frame-src')).toBe('https://scripts.example')
    expect(policy.has('connect-src')).toBe(false)
    expect(await response.text()).toContain(
      '<script src="https://scripts.example/v1/api.js?x=1&amp;y=2" async defer></script>',
    )
  })

  it('does not judge where the redirects after a form lead, on plain http neither', async () => {
    for (const secure of [true, false]) {
      expect(directives(await send({ secure })).has('form-action')).toBe(false)
    }
  })

  it('cannot be stored or framed', async () => {
    const { headers } = await send()
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin')
    expect(headers.get('Permissions-Policy')).toContain('camera=()')
  })

  it('keeps the Origin header on its own forms, and its URL out of Referer', async () => {
    expect((await send()).headers.get('Referrer-Policy')).toBe('strict-origin')
  })

  it('asks for https only if it is on https', async () => {
    const hsts = 'Strict-Transport-Security'
    expect((await send()).headers.get(hsts)).toBe('max-age=63072000')
    expect((await send({ secure: false })).headers.has(hsts)).toBe(false)
  })
})
