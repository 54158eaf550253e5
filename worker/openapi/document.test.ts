import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { SHIPPED } from '../src/features/shipped.js'
import { json } from '../src/http/outcome.js'
import type { Pages } from '../src/service/feature.js'
import { OPERATIONS } from '../src/service/operations.js'
import { openApiDocument } from './document.ts'
import { OPERATOR_METHODS } from './operator-methods.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'worker/openapi.json'), 'utf8')

it('is valid by OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

it('is the same file in the package and in the documentation', () => {
  expect(readFileSync(join(root, 'docs/openapi.json'), 'utf8')).toBe(text)
})

it('is made of the tables, with the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'worker/package.json'), 'utf8'))
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiDocument(version))))
})

it('has each method of the operator API, and no other', () => {
  const { paths } = JSON.parse(text) as { paths: object }
  const scoped = Object.entries(OPERATIONS).flatMap(([name, { scope }]) => (scope ? name : []))
  const operator = Object.keys(paths).filter((path) => path.startsWith('/operator/'))
  expect(operator).toEqual(scoped.toSorted().map((name) => `/operator/${name}`))
  expect(Object.keys(OPERATOR_METHODS).toSorted()).toEqual(scoped.toSorted())
})

describe('a route that is described nowhere fails, and says what to do', () => {
  const withRoute = (routes: NonNullable<Pages['routes']>) => () =>
    openApiDocument('1', [...SHIPPED.features, { name: 'toy', pages: { routes } }])

  it('if it answers JSON', () => {
    expect(withRoute({ '/toy': { GET: () => json({}), isData: true } })).toThrow(
      'GET /toy answers JSON: describe its parameters, its body and each answer in DATA_ROUTES of worker/openapi/routes.ts, then run npm run generate.',
    )
  })

  it('if it may, or is a page', () => {
    expect(withRoute({ '/toy': { POST: () => json({}) } })).toThrow(
      'POST /toy: add it to FORMS of worker/openapi/forms.ts if a script may send it, or to PAGES',
    )
  })

  it('if it is below the origin', () => {
    const wellKnown = { '/.well-known/toy': { GET: () => json({}), isData: true as const } }
    expect(() =>
      openApiDocument('1', [...SHIPPED.features, { name: 'toy', pages: { wellKnown } }]),
    ).toThrow('GET /.well-known/toy: describe it in ROOT_ROUTES of worker/openapi/routes.ts')
  })

  it('at once, if there are several', () => {
    const routes = { '/toy': { POST: () => json({}) }, '/other': { GET: () => json({}) } }
    expect(withRoute(routes)).toThrow(/^POST \/toy: .*\n\nGET \/other: .*$/)
  })

  it('and so does a description without a route', () => {
    const features = SHIPPED.features.filter(({ name }) => name !== 'ways')
    expect(() => openApiDocument('1', features)).toThrow('routes that are gone: GET /ways')
  })
})
