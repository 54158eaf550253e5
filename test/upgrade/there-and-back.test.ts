import { describe } from 'vitest'
import { Browser } from './browser.ts'
import { carriesOn } from './carries-on.ts'
import { deploy } from './deployed.ts'
import { BOTH_SECRETS, clockAt, readState, SHARDS } from './story.ts'
import { current, installed, versions } from './versions.ts'

const ledger = 'one object on the way to four'

describe.each(versions.slice(-1))('%s again, after a while with this version', (version) => {
  const begin = async () => {
    const older = installed(version)
    const [worker, newer] = await Promise.all([deploy(older), deploy(current)])
    older.remove()
    const { after } = SHARDS[ledger]
    const at = { now: clockAt(0), env: { ...BOTH_SECRETS, AUTH_LEDGER_SHARDS: after } }
    const state = readState(version, ledger)
    await newer.load(state.kept)
    const visits = Object.entries(state.browsers).map(async ([name, cookies]) => {
      const browser = new Browser(newer, cookies)
      // Every session that is used is extended, and sealed with the newer secret from then on.
      if (name === 'retired') return [name, cookies] as const
      await browser.session(at)
      await browser.token(at)
      return [name, browser.cookies] as const
    })
    const browsers = Object.fromEntries(await Promise.all(visits))
    const kept = await newer.dump(after)
    await newer.stop()
    await worker.load(kept)
    return { worker, state: { ...state, kept, browsers } }
  }
  carriesOn(ledger, begin)
})
