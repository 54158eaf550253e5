import { describe, expect, it } from 'vitest'
import { Contract } from './contract.ts'
import { answer } from './responses.ts'
import { object, ref, text } from './schema.ts'

const contract = new Contract({
  paths: {
    '/people/{provider}': {
      get: {
        responses: {
          '200': answer('A person.', object({ person: ref('Person') })),
          '404': { $ref: '#/components/responses/Missing' },
        },
      },
    },
    '/form': {
      post: {
        parameters: [{ name: 'X-Script', in: 'header', required: true }],
        responses: { '200': answer('Done.', object({ url: text })) },
      },
    },
  },
  components: {
    schemas: {
      Person: object({ name: text, 'age?': { type: 'integer' } }),
      Failure: object({ error: text }),
      SignedOut: object({ error: { const: 'SignedOut' } }),
      FreshSignInRequired: object({ error: text, url: text }),
    },
    responses: { Missing: answer('None.', object({ error: { const: 'Missing' } })) },
  },
})

const fault = (body: unknown, status = 200, path = '/people/ada', method = 'GET') =>
  contract.fault(
    new Request(`http://localhost/auth${path}`, { method }),
    Response.json(body, { status }),
  )

describe('the contract', () => {
  it('finds no fault in an answer that is as the document says', async () => {
    expect(await fault({ person: { name: 'Ada' } })).toBeUndefined()
    expect(await fault({ person: { name: 'Ada', age: 36 } })).toBeUndefined()
    expect(await fault({ error: 'Missing' }, 404)).toBeUndefined()
    expect([...contract.seen]).toEqual(['get /people/{provider} 200', 'get /people/{provider} 404'])
  })

  it.each([
    ['a member of another kind', { person: { name: 1 } }, 200, '/person/name must be string'],
    ['a member that is missing', { person: {} }, 200, 'required property'],
    ['a member that is not described', { person: { name: 'Ada', id: 1 } }, 200, 'additional'],
    ['another word', { error: 'Gone' }, 404, '/error must be equal to constant'],
    ['another status', {}, 401, 'a status that is not there'],
  ])('finds %s', async (_, body, status, found) => {
    expect(await fault(body, status)).toContain(found)
  })

  it('finds an answer of another type, or of another operation', async () => {
    const request = new Request('http://localhost/auth/people/ada')
    expect(await contract.fault(request, new Response('Ada'))).toContain('a body of text/plain')
    expect(await fault({}, 200, '/people')).toContain('an operation that is not there')
    expect(await fault({}, 200, '/people/ada', 'POST')).toContain('an operation that is not there')
    expect(await fault({ error: 'Gone' }, 403, '/page')).toBeUndefined()
    expect(await fault({ why: 'Gone' }, 403, '/page')).toContain('required property')
  })

  it('looks at the answer to a form if it is JSON', async () => {
    const request = new Request('http://localhost/auth/form', { method: 'POST' })
    expect(await contract.fault(request, new Response('', { status: 302 }))).toBeUndefined()
    expect(await fault({}, 200, '/form', 'POST')).toContain('required property')
  })
})
