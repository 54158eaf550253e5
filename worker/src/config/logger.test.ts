import { afterEach, describe, expect, it, vi } from 'vitest'
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
import { Browser, configWith } from '../test-support/browser.js'
import { createLogger } from './logger.js'

afterEach(() => vi.restoreAllMocks())

describe('the logger', () => {
  it('a logger that throws breaks no request', async () => {
    const error = () => {
      throw new Error('disk full')
    }
    const browser = new Browser(configWith({ logger: { error } }))
    expect((await browser.get('/auth/callback/nobody')).status).toBe(302)
  })

  it('a logger that rejects later is no unhandled rejection, which would end a Node process', async () => {
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
    createLogger({ debug }, true).debug('x')
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
      ['a callback that nobody began', new InvalidCheck('x')],
      ['a form that was open too long', new MissingCSRF('x')],
      ['too many attempts', new TooManyAttempts('x')],
      ['a provider that there is not', new UnknownProvider('x')],
      ['a person who may not sign in', new AccessDenied('x')],
    ])('%s is a warning', (_, error) => {
      expect(levelOf(error)).toBe(`warn: [auth][warn] ${error.name}: x`)
    })

    it.each<[string, Error]>([
      ['what a provider refuses', new OAuthCallbackError('x')],
      ['a signIn callback that throws', new AccessDenied('x', { cause: err })],
      ['an authorize that hides a fault', new CredentialsSignin('x', { cause: err })],
      ['a callback that fails', new CallbackFailed('x')],
      ['a mail that is not sent', new EmailNotSent('x')],
      ['a store that is away', new StoreUnavailable('x')],
      ['an AuthError of the app’s own', new (class extends AuthError {})('x')],
      ['any other error', new Error('x')],
    ])('%s is an error', (_, error) => {
      expect(levelOf(error)).toBe(`error: [auth][error] ${error.name}: x`)
    })

    it.each(['constructor', 'toString', '__proto__'])('so is one of the type %s', (type) => {
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

  it('an endless chain of causes is cut', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const loop = new Error('loop')
    loop.cause = loop
    createLogger().error(new AuthError('x', { cause: loop }))
    expect(log).toHaveBeenCalledOnce()
  })
})
