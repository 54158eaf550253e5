import { IMPORT_HEADER, type ImportRow, proofKeyOf, signImport } from '@latchkey/host/shared'
import { describe, expect, test } from 'vitest'
import { Browser, bindings, type Service, service } from './support.ts'

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

/** A service that takes accounts over, with real objects of their own. */
function importing(shards: string) {
  const { LEDGER } = bindings
  const run = crypto.randomUUID()
  const own = {
    idFromName: (name: string) => LEDGER.idFromName(`${run} ${name}`),
    get: (id: DurableObjectId) => LEDGER.get(id),
  }
  const changed = { AUTH_IMPORT_UNTIL: tomorrow, AUTH_LEDGER_SHARDS: shards, LEDGER: own }
  const made = service({}, changed as never)
  const bring = async (accounts: readonly ImportRow[]) => {
    const body = new TextEncoder().encode(JSON.stringify({ accounts }))
    const url = new URL('http://localhost:8787/auth/import')
    const key = await proofKeyOf(bindings.AUTH_SECRET, 'import')
    const signed = await signImport(key, url, body, Date.now() / 1000)
    const init = { method: 'POST', headers: { [IMPORT_HEADER]: signed }, body }
    const answer = await made.auth.fetch(new Request(url, init), made.env)
    expect(answer.status).toBe(200)
    return answer.json()
  }
  return { ...made, bring }
}

/** The id of the account that the sandbox's person has. */
async function openIdOf(): Promise<string> {
  let id = ''
  const signIn = ({ account }: { account: { providerAccountId: string } }) => {
    id = account.providerAccountId
    // After a sign-in here the person would not be an imported one.
    return false
  }
  const made = service({ callbacks: { signIn } })
  await signInBy(made, 'videoapp')
  return id
}

async function signInBy(made: Service, provider: string): Promise<Browser> {
  const browser = new Browser(made)
  if (provider === 'videoapp') await browser.signIn()
  else {
    const fields = { username: 'vic', password: 'open sesame' }
    await browser.post(`/auth/callback/${provider}`, fields)
  }
  return browser
}

describe.each(['', '4', '1,3'])('with objects "%s"', (shards) => {
  test('both imported accounts sign in as the same person, with the old id', async () => {
    const made = importing(shards)
    const account = await openIdOf()
    const rows: ImportRow[] = [
      ['old-vic', 'videoapp', account],
      ['old-vic', 'credentials', 'vic'],
    ]
    expect(await made.bring(rows)).toEqual({ added: 2, known: 0, left: [] })
    expect(await made.bring(rows)).toEqual({ added: 0, known: 2, left: [] })
    for (const provider of ['videoapp', 'credentials']) {
      const browser = await signInBy(made, provider)
      expect((await browser.session())?.user.id).toBe('old-vic')
    }
  })

  test('two thousand accounts are all there, and none twice', async () => {
    const { bring } = importing(shards)
    const accounts = Array.from(
      { length: 2_000 },
      (_, at) => [`old-${at >> 1}`, 'videoapp', `account-${at}`] as const,
    )
    const batches = Array.from({ length: 8 }, (_, at) => accounts.slice(at * 250, at * 250 + 250))
    const told = await Promise.all(batches.map(bring))
    expect(told).toEqual(Array(8).fill({ added: 250, known: 0, left: [] }))
    const again = await Promise.all(batches.map(bring))
    expect(again).toEqual(Array(8).fill({ added: 0, known: 250, left: [] }))
  })
})
