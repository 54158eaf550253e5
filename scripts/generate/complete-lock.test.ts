import { expect, test } from 'vitest'
import { completeLock } from './complete-lock.ts'

const packages = {
  '': { name: 'app' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/tool': {
    version: '2.0.0',
    dev: true,
    optionalDependencies: { '@tool/cli-linux-x64': '2.0.0', '@tool/cli-darwin-arm64': '2.0.0' },
  },
  'node_modules/@tool/cli-linux-x64': { version: '2.0.0', os: ['linux'], cpu: ['x64'] },
}

function completed(changes: object): Record<string, unknown> {
  const text = JSON.stringify({ lockfileVersion: 3, packages: { ...packages, ...changes } })
  return JSON.parse(completeLock(text)).packages
}

test('a tool’s package for another platform is installed there, though it was not offered here', () => {
  expect(completed({})).toEqual({
    ...packages,
    'node_modules/@tool/cli-darwin-arm64': {
      version: '2.0.0',
      dev: true,
      optional: true,
      os: ['darwin'],
      cpu: ['arm64'],
    },
  })
})

test('beside another version of it, it lies in its tool’s own folder', () => {
  const wanted = { '@tool/cli-linux-x64': '1.0.0', '@tool/cli-darwin-arm64': '1.0.0' }
  const nested = 'node_modules/a/node_modules/tool'
  const found = completed({ [nested]: { version: '1.0.0', optionalDependencies: wanted } })
  for (const [name, version] of Object.entries(wanted)) {
    expect(found[`${nested}/node_modules/${name}`]).toMatchObject({ version })
    expect(found[`node_modules/${name}`]).toMatchObject({ version: '2.0.0' })
  }
})

test.each([
  ['@tool/cli-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
  ['@tool/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ['@cloudflare/workerd-darwin-64', { os: ['darwin'], cpu: ['x64'] }],
  ['@cloudflare/workerd-windows-64', { os: ['win32'], cpu: ['x64'] }],
  ['@tool/binding-wasm32-wasi', { cpu: ['wasm32'] }],
])('%s says its platform', (name, platform) => {
  const found = completed({ 'node_modules/b': { optionalDependencies: { [name]: '1.0.0' } } })
  expect(found[`node_modules/${name}`]).toEqual({ version: '1.0.0', optional: true, ...platform })
})

test('the error names an optional package without a platform in its name', () => {
  const other = { 'node_modules/b': { optionalDependencies: { fancy: '1.0.0' } } }
  expect(() => completed(other)).toThrow('lacks fancy')
})

test('an optional package of which npm has to choose the version is named', () => {
  const other = { 'node_modules/b': { optionalDependencies: { 'b-linux-x64': '^1.0.0' } } }
  expect(() => completed(other)).toThrow('lacks a version of b-linux-x64 in ^1.0.0')
})
