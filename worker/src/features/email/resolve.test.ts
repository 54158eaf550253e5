import { describe, expect, it, vi } from 'vitest'
import { ProviderMisconfigured } from '../../errors.js'
import { customFetch } from '../../lib/symbols.js'
import email from '../../providers/email.js'
import { resolveProviders } from '../../sign-in/kinds.js'
import type { EmailConfig, EmailUserConfig, Environment, VerificationRequest } from '../../types.js'
import { email as kind } from './kind.js'
import { type ResolvedEmailProvider, resolveEmail as resolveOf } from './resolve.js'

const from = 'Example <sign-in@example.com>'
const EMAIL = { send: async () => ({ messageId: 'one' }) }
const resolveEmail = (config: EmailConfig, env: Environment): ResolvedEmailProvider =>
  resolveOf(kind, config, env)
const resolve = (options: EmailUserConfig = {}, env: Record<string, unknown> = { EMAIL }) =>
  resolveEmail(email({ from, ...options }), env)

const request = (mail = { from, to: 'ada@example.com', subject: 's', text: 't', html: 'h' }) =>
  ({ identifier: mail.to, mail }) as VerificationRequest

describe('an email provider', () => {
  it('has a default id, name and lifetime, and is frozen', () => {
    const provider = resolve()
    expect(provider).toMatchObject({
      id: 'email',
      name: 'Email',
      type: 'email',
      maxAge: 600,
      from,
    })
    expect(Object.isFrozen(provider)).toBe(true)
  })

  it('another provider’s id has a sender of its own in the environment', () => {
    const env = { EMAIL, AUTH_STAFF_LOGIN_FROM: 'staff@example.com', AUTH_EMAIL_FROM: from }
    expect(resolveEmail(email({ id: 'staff-login' }), env).from).toBe('staff@example.com')
    expect(resolveEmail(email(), env).from).toBe(from)
    expect(resolveEmail(email({ from: 'own@example.com' }), env).from).toBe('own@example.com')
  })

  it('passes its sender and lifetime to an app that sends, from options or environment', () => {
    const env = { EMAIL, AUTH_EMAIL_FROM: from }
    const expected = { id: 'email', from, maxAge: 600 }
    expect(resolveEmail(email({ sendVerificationRequest: () => {} }), env).config).toMatchObject(
      expected,
    )
  })

  it.each([0, 1, 59, 86_401, -600, 60.5, Number.NaN, Number.POSITIVE_INFINITY, '600', null, {}])(
    'a maxAge of %s is refused by name',
    (maxAge) => {
      expect(() => resolve({ maxAge: maxAge as number })).toThrow(ProviderMisconfigured)
      expect(() => resolve({ maxAge: maxAge as number })).toThrow('maxAge of provider "email"')
    },
  )

  it.each([60, 600, 86_400])('a maxAge of %i is taken', (maxAge) => {
    expect(resolve({ maxAge }).maxAge).toBe(maxAge)
  })

  it.each([
    '',
    'Example',
    'a@example.com, b@example.com',
    'Example <a@example.com>\r\nBcc: eve@example.com',
    'Example\n<a@example.com>',
    '<>',
  ])('the sender %j is refused', (bad) => {
    expect(() => resolve({ from: bad })).toThrow(ProviderMisconfigured)
    expect(() => resolve({ from: bad })).toThrow('`from`')
    const env = { EMAIL, AUTH_EMAIL_FROM: bad }
    expect(() => resolveEmail(email(), env)).toThrow(ProviderMisconfigured)
    expect(() => resolveEmail(email(), env)).toThrow('AUTH_EMAIL_FROM')
  })

  it('without a sender, or without a way to send, names the setting', () => {
    expect(() => resolveEmail(email(), { EMAIL })).toThrow('AUTH_EMAIL_FROM')
    expect(() => resolve({}, {})).toThrow('bind EMAIL')
    expect(() => resolve({}, {})).toThrow('AUTH_RESEND_KEY')
    expect(() => resolve({}, {})).toThrow('sendVerificationRequest')
  })

  it('that is misconfigured does not break the others', async () => {
    const { usable, misconfigured } = await resolveProviders(
      [email({ maxAge: 1, from }), email({ id: 'good', from })],
      { EMAIL },
    )
    expect([...usable.keys()]).toEqual(['good'])
    expect([...misconfigured.keys()]).toEqual(['email'])
  })
})

describe('the way to send', () => {
  it('is the binding, if there is no key of Resend', async () => {
    const send = vi.fn(async () => ({ messageId: 'one' }))
    await resolve({}, { EMAIL: { send } }).send(request())
    expect(send).toHaveBeenCalledWith(expect.objectContaining({ to: 'ada@example.com' }))
  })

  it('is Resend, by the provider’s own fetch, if its key is set; the binding is not used', async () => {
    const send = vi.fn()
    const fetch = vi.fn(async () => Response.json({ id: 'one' }))
    const env = { EMAIL: { send }, AUTH_RESEND_KEY: 're_key' }
    await resolve({ [customFetch]: fetch }, env).send(request())
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(send).not.toHaveBeenCalled()
  })

  it('is the app’s own function before either, also without a sender', async () => {
    const send = vi.fn()
    const sendVerificationRequest = vi.fn()
    const provider = resolveEmail(email({ sendVerificationRequest }), { EMAIL: { send } })
    expect(provider.from).toBeUndefined()
    await provider.send(request())
    expect(sendVerificationRequest).toHaveBeenCalledTimes(1)
    expect(send).not.toHaveBeenCalled()
  })

  it('rejects if the app’s function throws', async () => {
    const provider = resolve({
      sendVerificationRequest: () => {
        throw new Error('down')
      },
    })
    await expect(provider.send(request())).rejects.toThrow('down')
  })
})

describe('normalizeIdentifier', () => {
  const normalize = (normalizeIdentifier: unknown, given: unknown = ' ADA+tag@Example.com ') =>
    resolve({ normalizeIdentifier } as Pick<EmailConfig, 'normalizeIdentifier'>).normalize(given)

  it('gets the normalized address, and its result is normalized again', () => {
    const own = vi.fn((address: string) => address.replace(/\+[^@]*/, '').toUpperCase())
    expect(normalize(own)).toBe('ada@example.com')
    expect(own).toHaveBeenCalledWith('ada+tag@example.com')
  })

  it('is not called for a text that is not an address', () => {
    const own = vi.fn(() => 'ada@example.com')
    for (const given of [
      null,
      0,
      '',
      'x',
      ['ada@example.com'],
      { a: 1 },
      'a@b.example,c@d.example',
    ]) {
      expect(normalize(own, given)).toBeUndefined()
    }
    expect(own).not.toHaveBeenCalled()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('not here')
      },
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
    ],
    ['returns nothing', () => undefined],
    ['returns an empty text', () => ''],
    ['returns a list', () => ['ada@example.com', 'eve@example.com']],
    ['returns a list in one text', () => 'ada@example.com, eve@example.com'],
    ['returns a promise', () => Promise.resolve('ada@example.com')],
    ['returns an object that passes for text', () => ({ toString: () => 'ada@example.com' })],
    ['returns a text object', () => new String('ada@example.com')],
    ['returns a header', () => 'ada@example.com\r\nBcc: eve@example.com'],
    ['is no function', 'ada@example.com' as never],
  ])('that %s refuses the address, and does not fail', (_, own) => {
    expect(normalize(own)).toBeUndefined()
  })

  it('that rejects does not end the process', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    expect(normalize(() => Promise.reject(new Error('not here')))).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
