import { printTable } from './table.ts'

// Every number of the service and of the adapters beside the alternatives, measured in one run on
// this machine. `npm run bench -- node` measures one part only. Apart are `npm run bench -- load`,
// with thousands of people at once, and `npm run bench -- scale`, the simulator of large
// deployments, with the names of designs to compare, if any, `npm run bench -- objects`, what a
// call costs a real object, and `npm run bench -- weights`, what Workers with few abilities weigh,
// `npm run bench -- sign-in`, where the time of a sign-in goes, `npm run bench -- import`, imported
// accounts, and `npm run bench -- passwords`, hashes of passwords and sign-ins by them.

const parts: Readonly<Record<string, () => Promise<void>>> = {
  worker: async () => (await import('./worker.ts')).benchWorker(),
  node: async () => (await import('./node/bench.ts')).benchNode(),
  sveltekit: async () => (await import('./sveltekit/bench.ts')).benchSvelteKit(),
  next: async () => (await import('./next/bench.ts')).benchNext(),
}
const [first, ...rest] = process.argv.slice(2)
if (first === 'scale') {
  await (await import('./scale/bench.ts')).benchScale(rest)
  process.exit()
}
if (first === 'objects') {
  await (await import('./scale/objects/measure.ts')).benchObjects()
  process.exit()
}
if (first === 'weights') {
  await (await import('./weights.ts')).benchWeights()
  process.exit()
}
if (first === 'sign-in') {
  await (await import('./sign-in/bench.ts')).benchSignIn()
  process.exit()
}
if (first === 'import') {
  await (await import('./import.ts')).benchImport(rest)
  process.exit()
}
if (first === 'passwords') {
  await (await import('./passwords.ts')).benchPasswords()
  process.exit()
}
if (first === 'load') {
  await (await import('./load/bench.ts')).benchLoad(rest)
  process.exit()
}
const asked = first === undefined ? [] : [first, ...rest]
const unknown = asked.find((name) => !(name in parts))
if (unknown !== undefined) {
  throw new Error(`There is no part ${unknown}, only ${Object.keys(parts).join(', ')}.`)
}

const began = performance.now()
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (asked.length === 0 || asked.includes(name)) await measure()
  }
} finally {
  // The figures of the earlier parts are kept when a part fails.
  printTable()
}
console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`)
