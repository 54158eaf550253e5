import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'operate',
  use: 'For [the person on duty](operate.md): the operator API, the audit log, webhooks and metrics. It is a function, `operate()`. The shipped Worker has it; `createAuth` has it if you list it',
  isFunction: true,
  variables: {
    AUTH_OPERATOR_KEYS:
      'The keys of the operator API, `<name>:<scope>:<hash>`, with commas between them (docs/operate.md). Default: there is no operator API.',
    AUTH_AUDIT_DAYS:
      'How many days the audit log keeps a record, 1 to 3650 (docs/operate.md). Default: there is no audit log; with webhooks `90`.',
    AUTH_WEBHOOK_URL:
      'The URL that gets a message for each record of the audit log (docs/webhooks.md): https, or http on this machine. Default: there are no webhooks.',
    AUTH_WEBHOOK_SECRET:
      'What signs these messages: `whsec_` and the base64 of 24 to 64 bytes; two while one is replaced. Default: there are no webhooks.',
    AUTH_WEBHOOK_EVENTS:
      'The events that are sent, with commas between them (docs/log-events.md). Default: all.',
  },
  methods: {
    audit: {
      takes: ['query'],
      scope: 'read',
      summary: 'A page of the audit log, the newest record first',
      result: 'AuditPage',
      off: 'its audit log is off (AUTH_AUDIT_DAYS)',
    },
    auditHeads: {
      takes: [],
      scope: 'read',
      summary: 'The ends of the chains of the audit log',
      result: 'AuditHeads',
      off: 'its audit log is off (AUTH_AUDIT_DAYS)',
    },
    findPerson: {
      takes: ['sought'],
      scope: 'read',
      summary: 'The id of a person, by an address or by a line of the log',
      result: 'FoundPerson',
    },
    webhooks: {
      takes: [],
      scope: 'read',
      summary: 'Messages that wait, and those that were not received',
      result: 'Webhooks',
      off: 'its webhooks are off (AUTH_WEBHOOK_URL)',
    },
    resendWebhook: {
      takes: ['id'],
      scope: 'manage',
      summary: 'Send a message again',
      result: 'boolean',
      off: 'its webhooks are off (AUTH_WEBHOOK_URL)',
    },
  },
  events: ['person-read', 'operator-refused'],
  warnings: ['operator-keys'],
} as const satisfies Manifest
