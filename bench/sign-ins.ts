import type { Bundle } from './bundle.ts'
import type { Step, Use } from './contestants/sign-ins.ts'
import { start } from './runtime.ts'

/** The ledger and KV calls of each step of a sign-in, in workerd: the most among several people. */
export async function measureSignIns(bundle: Bundle): Promise<ReadonlyMap<Step, Use>> {
  await using runtime = await start([{ name: bundle.name, bundle }])
  const answer = await fetch(await runtime.url(bundle.name))
  if (!answer.ok) throw new Error(await answer.text())
  const people = (await answer.json()) as Record<Step, Use>[]
  const steps: readonly Step[] = ['OAuth', 'mail', 'link', 'code', 'password', 'passkey']
  return new Map(
    steps.map((step) => {
      const most = (what: keyof Use) => Math.max(...people.map((uses) => uses[step][what]))
      const [ledgerCalls, rowsWritten] = [most('ledgerCalls'), most('rowsWritten')]
      return [step, { ledgerCalls, rowsWritten, kvWrites: most('kvWrites') }]
    }),
  )
}
