/** The code in which a fault could sign somebody in, and the tests that are to notice it. */
export const files: Readonly<Record<string, readonly string[]>> = {
  'session/src/internal/origin.ts': [
    'session/src/internal/origin.test.ts',
    'worker/src/config/{origin,safe-redirect,resolve-config}.test.ts',
  ],
  'session/src/token/claims.ts': [
    'session/src/token/claims.test.ts',
    'session/src/token/token-properties.test.ts',
  ],
  'session/src/token/cookie.ts': [
    'session/src/token/cookie*.test.ts',
    'session/src/internal/set-cookie.test.ts',
  ],
  'session/src/token/duplicate-members.ts': [
    'session/src/token/duplicate-members.test.ts',
    'session/src/token/claims.test.ts',
  ],
  'session/src/token/keys.ts': ['session/src/token/keys.test.ts'],
  'session/src/token/secrets.ts': ['session/src/token/secrets.test.ts'],
  'session/src/token/session.ts': [
    'session/src/token/session.test.ts',
    'session/src/token/claims.test.ts',
    'session/src/token/verify.test.ts',
  ],
  'session/src/token/sign.ts': ['session/src/token/verify.test.ts'],
  'session/src/token/signed.ts': ['session/src/token/{signed,verify,claims}.test.ts'],
  'session/src/token/verify.ts': ['session/src/token/{verify,claims}.test.ts'],
  'session/src/verifier/renewals-ahead.ts': ['session/src/verifier/renewals-*.test.ts'],
  'session/src/verifier/revocations.ts': ['session/src/verifier/revocations.test.ts'],
  'session/src/verifier/seen-tokens.ts': [
    'session/src/verifier/{seen-tokens,token-verifier}.test.ts',
  ],
  'session/src/verifier/token-verifier.ts': [
    'session/src/verifier/token-verifier.test.ts',
    'session/src/token/{verify,claims}.test.ts',
  ],
  'worker/src/config/own-pages.ts': ['worker/src/config/resolve-config.test.ts'],
  'worker/src/config/safe-redirect.ts': ['worker/src/config/safe-redirect*.test.ts'],
  'worker/src/http/app-proof.ts': ['worker/src/http/app-proof*.test.ts'],
  'worker/src/http/csrf.ts': ['worker/src/http/{csrf,stale-form}.test.ts'],
  'worker/src/http/device-cookie.ts': ['worker/src/http/device-cookie.test.ts'],
  'worker/src/http/known-origin.ts': ['worker/src/http/known-origin.test.ts'],
  'worker/src/http/targets.ts': [
    'worker/src/config/{resolve-config,safe-redirect}.test.ts',
    'worker/src/http/{targets,stale-form}.test.ts',
    'worker/src/service/routes.test.ts',
    'worker/src/session/callback-faults.test.ts',
    'worker/src/sign-in/flow-cookie.test.ts',
  ],
  'worker/src/lib/key-ring.ts': [
    'worker/src/lib/key-ring.test.ts',
    'worker/src/session/rotation.test.ts',
  ],
  'worker/src/lib/pseudonyms.ts': ['worker/src/lib/pseudonyms.test.ts'],
  'worker/src/lib/seal.ts': ['worker/src/lib/{seal,key-ring}.test.ts'],
  'worker/src/session/read.ts': [
    'worker/src/session/{several-sessions,ended-elsewhere,token-life}.test.ts',
    'worker/src/routes/sessions.test.ts',
  ],
  'worker/src/session/subject.ts': ['worker/src/session/subject.test.ts'],
  'worker/src/sign-in/email/address.ts': ['worker/src/sign-in/email/address*.test.ts'],
  'worker/src/sign-in/email/flow.ts': [
    'worker/src/sign-in/email/{flow,code-attacks,link-attacks}.test.ts',
    'worker/src/routes/email{,-pages,-strangers}.test.ts',
    'worker/src/http/known-origin.test.ts',
    'worker/src/service/log-lines.test.ts',
    'worker/src/ways/{ways,attacks}.test.ts',
  ],
  'worker/src/sign-in/email/verification.ts': [
    'worker/src/sign-in/email/{verification,refused-mail,code-attacks,link-attacks}.test.ts',
    'worker/src/routes/email-strangers.test.ts',
    'worker/src/service/log-lines.test.ts',
    'worker/src/session/email-verified.test.ts',
  ],
  'worker/src/sign-in/email/verify-request.ts': [
    'worker/src/routes/email{,-pages}.test.ts',
    'worker/src/sign-in/email/code-attacks.test.ts',
  ],
  'worker/src/sign-in/flow-cookie.ts': [
    'worker/src/sign-in/flow-cookie.test.ts',
    'worker/src/sign-in/email/code-attacks.test.ts',
    'worker/src/sign-in/oauth/callback-checks.test.ts',
  ],
  'worker/src/sign-in/identity.ts': [
    'worker/src/sign-in/identity.test.ts',
    'worker/src/sign-in/oauth/account-rules.test.ts',
  ],
  'worker/src/sign-in/oauth/flow.ts': [
    'worker/src/sign-in/asking-provider.test.ts',
    'worker/src/sign-in/oauth/{flow,authorization-url,callback-checks}.test.ts',
  ],
  'worker/src/sign-in/oauth/id-token.ts': [
    'worker/src/sign-in/oauth/id-token*.test.ts',
    'worker/src/providers/microsoft-entra-id.test.ts',
  ],
  'worker/src/sign-in/oauth/token-answer.ts': [
    'worker/src/sign-in/oauth/{token-answer,hostile-answers}.test.ts',
  ],
  'worker/src/sign-in/redirect-flow.ts': [
    'worker/src/sign-in/{redirect-flow,flow-cookie,asking-provider}.test.ts',
    'worker/src/sign-in/oauth/{callback-checks,form-post,issuer-parameter}.test.ts',
  ],
  'worker/src/stores/asked-again.ts': ['worker/src/stores/asked-again.test.ts'],
  'worker/src/stores/collected-endings.ts': ['worker/src/stores/collected-endings.test.ts'],
  'worker/src/stores/durable-ledger.ts': [
    'worker/src/stores/durable-ledger.test.ts',
    'worker/src/stores/ledger/{placement,schedules,methods}.test.ts',
  ],
  'worker/src/stores/ended-handles.ts': ['worker/src/stores/ended-handles.test.ts'],
  'worker/src/stores/ending-list.ts': ['worker/src/stores/ending-list.test.ts'],
  'worker/src/stores/guarded-stores.ts': ['worker/src/stores/guarded-stores.test.ts'],
  'worker/src/stores/ledger-shards.ts': ['worker/src/stores/ledger-shards.test.ts'],
  'worker/src/stores/ledger/answers.ts': ['worker/src/stores/ledger/answers.test.ts'],
  'worker/src/stores/ledger/collector.ts': ['worker/src/stores/ledger/collector.test.ts'],
  'worker/src/stores/ledger/map-rows.ts': [
    'worker/src/stores/ledger/{rows,map-rows,schedules}.test.ts',
  ],
  'worker/src/stores/ledger/methods.ts': [
    'worker/src/stores/ledger/{methods,schedules,documents}.test.ts',
    'worker/src/stores/{durable-ledger,guarded-stores}.test.ts',
  ],
  'worker/src/stores/ledger/placement.ts': ['worker/src/stores/ledger/placement.test.ts'],
  'worker/src/stores/ledger/rules.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/sqlite-rows.ts': [
    'worker/src/stores/ledger/{rows,sqlite-rows,documents}.test.ts',
  ],
  'worker/src/stores/ledger/swept-map.ts': ['worker/src/stores/ledger/swept-map.test.ts'],
  'worker/src/stores/whole-record.ts': ['worker/src/stores/whole-record.test.ts'],
}
