import { afterEach, describe, expect, it, vi } from 'vitest'
import { AuthError, StoreUnavailable } from '../errors.js'
import { Browser, configWith } from '../test-support.js'
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

  it('keeps its own this: most logging libraries are objects with state', () => {
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

  it('the console gets type, message and causes, never the objects that hang on them', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const root = Object.assign(new Error('refused'), { response: { token: 'the-token' } })
    createLogger().error(new StoreUnavailable('Could not read.', { cause: root }))
    const line = log.mock.calls.flat().map(String).join(' ')
    expect(line).toContain('StoreUnavailable: Could not read.')
    expect(line).toContain('caused by Error: refused')
    expect(JSON.stringify(log.mock.calls)).not.toContain('the-token')
  })

  it('an endless chain of causes is cut', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const loop = new Error('loop')
    loop.cause = loop
    createLogger().error(new AuthError('x', { cause: loop }))
    expect(log).toHaveBeenCalledOnce()
  })
})
