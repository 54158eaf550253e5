import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { Browser, configWith, copyOf, fakeProvider } from './browser.js'
import { faulty } from './faulty.js'

/**
 * A person who has signed in by OAuth: the browser, the config, and a {@link faulty} store.
 *
 * @param inner the store behind it; its own memory unless a test watches each call
 */
export async function signedIn(changes: Partial<AuthConfig> = {}, inner?: Stores) {
  const { store, ...rest } = faulty(inner)
  const config = configWith({ providers: [fakeProvider()], store, ...changes })
  const browser = new Browser(config)
  await browser.signIn('fake')
  rest.calls.length = 0
  /** The same cookies at another isolate, whose config may have changed. */
  const under = (more: Partial<AuthConfig> = {}) => copyOf(browser, { ...config, ...more })
  return { browser, config, store, under, ...rest }
}
