import { EVERYTHING } from '../features/all.js'
import { AuthRequest } from '../http/request.js'
import { composeService } from '../service/compose-service.js'
import type { Ledger } from '../stores/ledger/rules.js'
import type { AuthConfig } from '../types.js'
import { origin } from './browser.js'
import { people } from './people.js'

/** A service with a ledger that a test fills, and a request without a session. */
export async function withDocuments(
  documents: Readonly<Record<string, object>>,
  changes: Partial<AuthConfig> = {},
) {
  const set = people(changes)
  const { document, changeDocument } = set.inner.ledger as Ledger
  const read = async (key: string) => JSON.parse((await document(key))?.content ?? 'null')
  const write = async (key: string, content: object | null) =>
    changeDocument(key, (await document(key))?.version ?? 0, content && JSON.stringify(content))
  for (const [key, content] of Object.entries(documents)) await write(key, content)
  const parts = await composeService(set.config, { env: {}, builtIn: EVERYTHING })
  const work: Promise<unknown>[] = []
  const wait = (promise: Promise<unknown>) => void work.push(promise)
  const requestWith = (cookie: string) => {
    const sent = new Request(origin, { headers: { cookie } })
    return new AuthRequest(sent, origin, parts, origin, wait)
  }
  const request = requestWith('')
  set.calls.length = 0
  const count = (name: string) => set.calls.filter((call) => call.name === name).length
  const events = () => set.lines.map((line) => (line as { event: string }).event)
  /** After the first change of a document, and before its caller goes on. */
  const afterChange = (key: string, then: () => Promise<unknown>) =>
    set.faults.set('changeDocument', async (...args) => {
      const isDone = await changeDocument(...(args as [string, number, string | null]))
      if (args[0] === key) {
        set.faults.delete('changeDocument')
        await then()
      }
      return isDone
    })
  return { ...set, request, requestWith, read, write, count, events, work, afterChange }
}
