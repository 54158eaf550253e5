import {
  AuthenticatorApp,
  keyOn,
  recoveryCodesOn,
} from '../../../test/support/authenticator-app.js'
import { type Browser, locationOf } from './browser.js'

/** Sets a second factor up in a browser whose person has signed in, or has given the first factor. */
export async function setUpFactor(browser: Browser) {
  const page = await (await browser.get('/auth/factor/setup')).text()
  const app = new AuthenticatorApp(keyOn(page))
  const answer = await browser.submit('/auth/factor/setup', { code: app.code() })
  const shown = await answer.text()
  if (answer.status !== 200) throw new Error(`No factor: ${answer.status} ${locationOf(answer)}`)
  return { app, codes: recoveryCodesOn(shown), page: shown }
}
