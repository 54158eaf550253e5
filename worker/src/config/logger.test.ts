import { format } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import {
  AccessDenied,
  AuthError,
  CallbackFailed,
  CredentialsSignin,
  EmailNotSent,
  InvalidCheck,
  MissingCSRF,
  OAuthCallbackError,
  StoreUnavailable,
  TooManyAttempts,
  UnknownProvider,
  Verification,
} from '../errors.js'
import { createAuth } from '../index.js'
import { ownDetail } from '../lib/printable.js'
import { Browser, configWith } from '../test-support/browser.js'
import type { LogEvent, Logger } from '../types.js'
import { createLogger, type Problem } from './logger.js'

afterEach(() => vi.restoreAllMocks())

/** When everything in this file happens. */
const TIME = '2026-11-01T00:00:00.000Z'
clock()

describe('the logger', () => {
  it('a logger that throws breaks no request', async () => {
    const error = () => {
      throw new Error('disk full')
    }
    const browser = new Browser(configWith({ logger: { error } }))
    expect((await browser.get('/auth/callback/nobody')).status).toBe(302)
  })

  it('a logger that rejects later causes no unhandled rejection, which would end a Node process', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    createLogger({ error: async () => Promise.reject(new Error('late')) }).error(new AuthError())
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('is called with its own this, since most logging libraries are objects with state', () => {
    class Lines {
      readonly lines: string[] = []
      error(error: Error) {
        this.lines.push(error.name)
      }
    }
    const logger = new Lines()
    createLogger(logger).error(new StoreUnavailable())
    expect(logger.lines).toEqual(['StoreUnavailable'])
  })

  it('debug messages appear with debug only', () => {
    const debug = vi.fn()
    createLogger({ debug }).debug('x')
    expect(debug).not.toHaveBeenCalled()
    createLogger({ debug }, { debug: true }).debug('x')
    expect(debug).toHaveBeenCalledOnce()
  })

  it('the console gets type, message and causes, never the attached objects', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const root = Object.assign(new Error('refused'), { response: { token: 'the-token' } })
    createLogger().error(new StoreUnavailable('Could not read.', { cause: root }))
    const line = log.mock.calls.flat().map(String).join(' ')
    expect(line).toContain('StoreUnavailable: Could not read.')
    expect(line).toContain('caused by Error: refused')
    expect(JSON.stringify(log.mock.calls)).not.toContain('the-token')
  })

  describe('on the console, whose errors alert an operator', () => {
    class Locked extends CredentialsSignin {
      override code = 'locked'
    }
    const cancelled = new OAuthCallbackError('x')
    cancelled.code = 'access_denied'
    const err = new Error('the database is away')

    function levelOf(error: Error): string {
      const lines: string[] = []
      for (const level of ['error', 'warn'] as const) {
        vi.spyOn(console, level).mockImplementation((line) => {
          lines.push(`${level}: ${line}`)
        })
      }
      createLogger().error(error)
      vi.restoreAllMocks()
      return lines.join()
    }

    it.each<[string, Error]>([
      ['a wrong password', new CredentialsSignin('x')],
      ['a wrong password of a kind of the app’s own', new Locked('x')],
      ['an old link', new Verification('x')],
      ['Cancel at the provider', cancelled],
      ['a callback without a started sign-in', new InvalidCheck('x')],
      ['a form that was open too long', new MissingCSRF('x')],
      ['too many attempts', new TooManyAttempts('x')],
      ['a provider that there is not', new UnknownProvider('x')],
      ['a person who may not sign in', new AccessDenied('x')],
    ])('%s is a warning', (_, error) => {
      expect(levelOf(error)).toBe(`warn: [auth][warn] ${TIME} ${error.name}: x`)
    })

    it.each<[string, Error]>([
      ['a refusal by the provider', new OAuthCallbackError('x')],
      ['a signIn callback that throws', new AccessDenied('x', { cause: err })],
      ['an authorize that hides a fault', new CredentialsSignin('x', { cause: err })],
      ['a callback that fails', new CallbackFailed('x')],
      ['a mail that is not sent', new EmailNotSent('x')],
      ['a store that is away', new StoreUnavailable('x')],
      ['an AuthError of the app’s own', new (class extends AuthError {})('x')],
      ['any other error', new Error('x')],
    ])('%s is an error', (_, error) => {
      const line = `error: [auth][error] ${TIME} ${error.name}: x`
      expect(levelOf(error)).toBe(error.cause ? `${line} caused by Error: ${err.message}` : line)
    })

    it.each(['constructor', 'toString', '__proto__'])('an error of the type %s is too', (type) => {
      expect(levelOf(Object.assign(new AuthError('x'), { type }))).toMatch(
        /^error: \[auth\]\[error\]/,
      )
    })

    it('a logger of the app gets all of them as errors', () => {
      const logger = { error: vi.fn(), warn: vi.fn() }
      const wrong = new CredentialsSignin('x')
      createLogger(logger).error(wrong)
      expect(logger.error).toHaveBeenCalledWith(wrong)
      expect(logger.warn).not.toHaveBeenCalled()
    })
  })

  it('for an error of the app the console gets name and message, never the contents of its cause', () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    class Locked extends CredentialsSignin {}
    const cause = { user: 'ada@example.com', password: 'open sesame' }
    createLogger().error(new Locked('locked', { cause }))
    createLogger({}, { json: true }).error(new Locked('locked', { cause }))
    expect(log.mock.calls.map(([line]) => line)).toEqual([
      `[auth][warn] ${TIME} CredentialsSignin: locked`,
      expect.stringContaining('"error":"CredentialsSignin","message":"locked"}'),
    ])
    expect(log.mock.calls.every((call) => call.length === 1)).toBe(true)
  })

  it('no text forges a second line, or a line of another kind', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const evil = new Error('x\r\n[auth][info] sign-in\u2028\u001b[31m')
    createLogger().error(new StoreUnavailable('x\ny', { cause: evil }))
    createLogger({}, { json: true }).error(new StoreUnavailable('x\ny', { cause: evil }))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    for (const call of log.mock.calls) expect(call.join(' ')).not.toMatch(/[\0-\x1f\u2028]/)
  })

  it('no text hides the text behind it: it is not a format of the console, and runs in one direction', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const evil = new Error('nobody is called %c%c%s \u202egnol oot\u2066\u200f')
    createLogger().error(new StoreUnavailable('%c%o', { cause: evil }))
    createLogger({}, { json: true }).error(new StoreUnavailable('%c%o', { cause: evil }))
    const [text = '', json = ''] = log.mock.calls.map((call) => format(...call))
    expect(text).toBe(
      `[auth][error] ${TIME} StoreUnavailable: %c%o caused by Error: nobody is called %c%c%s  gnol oot `,
    )
    expect(JSON.parse(json)).toMatchObject({
      message: '%c%o',
      causes: ['Error: nobody is called %c%c%s  gnol oot '],
    })
  })

  describe('lines that are JSON', () => {
    const lines: string[] = []
    const at = Date.UTC(2026, 10, 1)
    const time = '2026-11-01T00:00:00.000Z'
    const json = (debug = true) => {
      lines.length = 0
      for (const level of ['error', 'warn', 'info', 'debug'] as const) {
        vi.spyOn(console, level).mockImplementation((line) => void lines.push(JSON.parse(line)))
      }
      return createLogger({}, { json: true, debug, now: () => at })
    }

    it('say what lines of text say', () => {
      const log = json()
      const root = Object.assign(new Error('refused'), { token: 'the-token' })
      log.error(new StoreUnavailable('Could not read.', { cause: root }))
      log.error(new Verification('x', { cause: ownDetail({ provider: 'email' }) }))
      log.warn('no-rate-limit', 'Add it.')
      log.warn('theme')
      log.debug('sign-in started', { provider: 'x' })
      const error = 'StoreUnavailable'
      const message = 'Could not read.'
      expect(lines).toEqual([
        { time, level: 'error', error, message, causes: ['Error: refused'] },
        { time, level: 'warn', error: 'Verification', message: 'x', detail: { provider: 'email' } },
        { time, level: 'warn', message: 'no-rate-limit', detail: 'Add it.' },
        { time, level: 'warn', message: 'theme' },
        { time, level: 'debug', message: 'sign-in started', detail: { provider: 'x' } },
      ])
    })

    it('are asked for by AUTH_LOG, also for a configuration that cannot be used', async () => {
      json()
      const { logger: _, ...config } = configWith({ secret: 'short' })
      const auth = createAuth(config)
      expect((await auth.request('/auth/csrf', {}, { AUTH_LOG: 'json' })).status).toBe(500)
      expect(lines).toMatchObject([{ level: 'error', error: 'MissingSecret' }])
      json()
      const { secret } = configWith()
      const right = createAuth({ ...config, secret: String(secret) })
      expect((await right.request('/auth/csrf', {}, { AUTH_LOG: 'json' })).status).toBe(200)
      vi.restoreAllMocks()
      const told = vi.spyOn(console, 'error').mockImplementation(() => {})
      expect((await right.request('/auth/csrf', {}, { AUTH_LOG: 'yaml' })).status).toBe(500)
      expect(told.mock.calls.join()).toContain('AUTH_LOG must be text or json.')
    })
  })

  it('no line goes to standard output, which may have a program’s own output', () => {
    const output = vi.spyOn(process.stdout, 'write')
    const lines = (['warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    )
    const log = createLogger()
    log.event({ time: '2026-11-01T00:00:00.000Z', event: 'sign-in' })
    log.warn('theme')
    log.error(new Error('x'))
    expect(output).not.toHaveBeenCalled()
    expect(lines.flatMap(({ mock }) => mock.calls)).toHaveLength(3)
  })

  describe('an event', () => {
    const event: LogEvent = { time: '2026-11-01T00:00:00.000Z', event: 'sign-in-refused' }
    const wrong = new CredentialsSignin('x')
    const told = (logger: Partial<Logger>, problem?: Problem) => {
      const calls: unknown[][] = []
      const spied = Object.fromEntries(
        Object.keys(logger).map((name) => [
          name,
          (...given: unknown[]) => calls.push([name, ...given]),
        ]),
      )
      for (const level of ['error', 'warn', 'info'] as const) {
        vi.spyOn(console, level).mockImplementation((...line) => {
          calls.push([line.join(' ')])
        })
      }
      createLogger(spied).event(event, problem)
      return calls
    }
    const line = `[auth][warn] ${event.time} sign-in-refused`
    const all = { error: () => {}, warn: () => {}, info: () => {} }

    it.each<[string, Partial<Logger>, Problem | undefined, unknown[][]]>([
      ['alone', {}, undefined, [[line]]],
      ['with its error is one line of the console', {}, wrong, [[`${line} CredentialsSignin: x`]]],
      ['with its warning is one line of the console', {}, ['too-many-attempts', 'x'], [[line]]],
      [
        'is told to a logger, after its error',
        all,
        wrong,
        [
          ['error', wrong],
          ['info', event],
        ],
      ],
      [
        'is told to a logger, after its warning',
        all,
        ['too-many-attempts', 'x'],
        [
          ['warn', 'too-many-attempts', 'x'],
          ['info', event],
        ],
      ],
      [
        'is a line beside a logger that takes errors alone',
        { error: all.error },
        wrong,
        [['error', wrong], [line]],
      ],
      [
        'goes without its error to a logger of events alone',
        { info: all.info },
        wrong,
        [[`[auth][warn] ${TIME} CredentialsSignin: x`], ['info', event]],
      ],
    ])('%s', (_, logger, problem, expected) => {
      expect(told(logger, problem)).toEqual(expected)
    })

    it('is given to a logger that throws, and breaks nothing', () => {
      const info = () => {
        throw new Error('disk full')
      }
      expect(() => createLogger({ info }).event(event)).not.toThrow()
    })
  })

  it('an endless chain of causes is cut', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const loop = new Error('loop')
    loop.cause = loop
    createLogger().error(new AuthError('x', { cause: loop }))
    expect(log).toHaveBeenCalledOnce()
  })
})
