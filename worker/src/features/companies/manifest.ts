import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'companies',
  use: '[Companies](companies.md) sign their people in by their own OpenID providers, which the sign-in page finds by the address. It is a function of its options: `companies({ find, get, fetch })`. Variables switch it on in the shipped Worker; `createAuth` has it if you list it',
  isFunction: true,
  kinds: ['company'],
  forms: {
    'AUTH_COMPANY_<ID>_': {
      DOMAINS:
        'The domains of the addresses of a company, with spaces between them; `<ID>` in small letters, with `-` for `_`, is its id. Default: none.',
      'ISSUER, ID, SECRET':
        'The issuer of a company’s OpenID provider, and the client id and secret that it gave. Default: there is no such company; without a secret the client is public.',
      NAME: 'The name of a company that people see. Default: its id.',
      ONLY: '`true`: the people of a company sign in by no other way. Default `false`.',
      JOIN: '`true`: the people of a company may have accounts here already, and each is asked once. Default `false`.',
      FACTORS:
        '`true`, or `acr` values with spaces between them: what a company’s provider says of second factors counts. Default: it does not.',
    },
  },
  methods: {
    subOfCompany: {
      takes: ['companySubject'],
      scope: 'read',
      summary: 'The id of a company’s person, by the `sub` of its provider',
      result: 'string | null',
    },
  },
  routes: ['/company/join', '/initiate/:provider', '/backchannel-logout/:provider'],
  texts: 'apart',
  events: ['company-logout'],
  warnings: ['company-lookup-failed', 'company-invalid', 'logout-token-refused'],
  denials: ['company_only', 'company_domain'],
} as const satisfies Manifest
