/** The code in which a fault could let an attacker in, and the tests that must notice it. */
export const files: Readonly<Record<string, readonly string[]>> = {
  'host/src/shared/check-needs.ts': ['host/src/shared/check-needs.test.ts'],
  'host/src/shared/origin.ts': [
    'host/src/shared/origin.test.ts',
    'worker/src/config/{origin,safe-redirect,resolve-config}.test.ts',
  ],
  'host/src/shared/public-suffix.ts': ['host/src/shared/origin.test.ts'],
  'session/src/token/access-token.ts': ['session/src/token/access-token.test.ts'],
  'session/src/token/api-key.ts': ['session/src/token/api-key.test.ts'],
  'session/src/token/claims.ts': [
    'session/src/token/{claims,company,machine-token}.test.ts',
    'session/src/token/token-properties.test.ts',
  ],
  'session/src/token/cookie.ts': [
    'session/src/token/cookie*.test.ts',
    'host/src/adapter/merge-cookies.test.ts',
  ],
  'session/src/token/duplicate-members.ts': [
    'session/src/token/duplicate-members.test.ts',
    'session/src/token/claims.test.ts',
  ],
  'session/src/token/is-enough.ts': ['session/src/token/is-enough.test.ts'],
  'session/src/token/keys.ts': ['session/src/token/keys.test.ts'],
  'session/src/token/secrets.ts': ['session/src/token/secrets.test.ts'],
  'session/src/token/session.ts': [
    'session/src/token/session.test.ts',
    'session/src/token/claims.test.ts',
    'session/src/token/verify.test.ts',
  ],
  'session/src/token/signed.ts': ['session/src/token/{signed,verify,claims}.test.ts'],
  'session/src/token/skipped.ts': ['session/src/token/skipped.test.ts'],
  'session/src/token/verify.ts': [
    'session/src/token/{verify,claims}.test.ts',
    'worker/src/session/other-key.test.ts',
  ],
  'session/src/verifier/access-token-reader.ts': [
    'session/src/verifier/{create-token-verifier,token-endings,token-keys,key-exchange}.test.ts',
  ],
  'session/src/verifier/fresh-claims.ts': ['session/src/verifier/fresh-claims.test.ts'],
  'session/src/verifier/key-exchange.ts': [
    'session/src/verifier/{key-exchange,stale-access-tokens}.test.ts',
  ],
  'session/src/verifier/mcp-resource.ts': ['session/src/verifier/protect-mcp.test.ts'],
  'session/src/verifier/renewals-ahead.ts': ['session/src/verifier/renewals-*.test.ts'],
  'session/src/verifier/revocations.ts': ['session/src/verifier/revocations.test.ts'],
  'session/src/verifier/token-keys.ts': ['session/src/verifier/token-keys.test.ts'],
  'session/src/verifier/token-refusal.ts': [
    'session/src/verifier/{create-token-verifier,protect-mcp}.test.ts',
  ],
  'session/src/verifier/turns.ts': [
    'session/src/verifier/{fresh-claims,stale-access-tokens}.test.ts',
  ],
  'session/src/verifier/session-token-verifier.ts': [
    'session/src/verifier/{seen-tokens,session-token-verifier}.test.ts',
    'session/src/token/{verify,claims}.test.ts',
  ],
  'worker/src/config/own-pages.ts': ['worker/src/config/resolve-config.test.ts'],
  'worker/src/features/authorization-server/client-authentication.ts': [
    'worker/src/features/authorization-server/client-authentication.test.ts',
  ],
  'worker/src/features/authorization-server/code.ts': [
    'worker/src/features/authorization-server/{exchange-code,formats}.test.ts',
  ],
  'worker/src/features/authorization-server/exchange-code.ts': [
    'worker/src/features/authorization-server/exchange-code.test.ts',
  ],
  'worker/src/features/authorization-server/grant-document.ts': [
    'worker/src/features/authorization-server/{grant,formats,refresh}.test.ts',
  ],
  'worker/src/features/authorization-server/grant.ts': [
    'worker/src/features/authorization-server/{grant,exchange-code,refresh,deploys}.test.ts',
  ],
  'worker/src/features/authorization-server/refresh-grant.ts': [
    'worker/src/features/authorization-server/{refresh,deploys,formats}.test.ts',
  ],
  'worker/src/features/authorization-server/refresh-token.ts': [
    'worker/src/features/authorization-server/{refresh,formats}.test.ts',
  ],
  'worker/src/features/authorization-server/revoke-route.ts': [
    'worker/src/features/authorization-server/revoke-route.test.ts',
  ],
  'worker/src/features/authorization-server/stable-seal.ts': [
    'worker/src/features/authorization-server/stable-seal.test.ts',
  ],
  'worker/src/features/authorization-server/user-info.ts': [
    'worker/src/features/authorization-server/{user-info,grant}.test.ts',
  ],
  'worker/src/features/authorization-server/assertions/asserted-grant.ts': [
    'worker/src/features/authorization-server/assertions/{asserted-grant,attacks,id-jag,company-assertions,assertion-faults}.test.ts',
  ],
  'worker/src/features/authorization-server/assertions/id-jag-grant.ts': [
    'worker/src/features/authorization-server/assertions/{id-jag-refusals,company-assertions}.test.ts',
  ],
  'worker/src/features/authorization-server/assertions/trusted-issuer.ts': [
    'worker/src/features/authorization-server/assertions/id-jag-refusals.test.ts',
  ],
  'worker/src/features/authorization-server/assertions/used-jti.ts': [
    'worker/src/features/authorization-server/assertions/{id-jag-refusals,assertion-faults}.test.ts',
  ],
  'worker/src/features/authorization-server/machines/machine-token.ts': [
    'worker/src/features/authorization-server/machines/{machines,workloads}.test.ts',
  ],
  'worker/src/features/authorization-server/machines/read-workloads.ts': [
    'worker/src/features/authorization-server/machines/read-workloads.test.ts',
  ],
  'worker/src/features/authorization-server/machines/workload-grant.ts': [
    'worker/src/features/authorization-server/machines/workloads.test.ts',
  ],
  'worker/src/features/bound-sessions/binding.ts': [
    'worker/src/features/bound-sessions/{attacks,bad-luck,bound-sessions,costs,joints,life,proof,replays}.test.ts',
  ],
  'worker/src/features/bound-sessions/browser-key.ts': [
    'worker/src/features/bound-sessions/browser-key.test.ts',
  ],
  'worker/src/features/bound-sessions/challenge.ts': [
    'worker/src/features/bound-sessions/{attacks,bad-luck,bound-sessions,costs,joints,life,proof,replays}.test.ts',
  ],
  'worker/src/features/bound-sessions/proof.ts': [
    'worker/src/features/bound-sessions/{bound-sessions,proof}.test.ts',
  ],
  'worker/src/features/companies/domains.ts': ['worker/src/features/companies/domains.test.ts'],
  'worker/src/features/companies/initiate.ts': ['worker/src/features/companies/initiate.test.ts'],
  'worker/src/features/companies/logout-token.ts': [
    'worker/src/features/companies/logout-token.test.ts',
  ],
  'worker/src/features/companies/only.ts': [
    'worker/src/features/companies/{only,attacks,joints}.test.ts',
  ],
  'worker/src/features/companies/provider.ts': [
    'worker/src/features/companies/{sign-in,attacks,factors,provider,settings}.test.ts',
  ],
  'worker/src/features/companies/read-company.ts': [
    'worker/src/features/companies/read-company.test.ts',
  ],
  'worker/src/features/passwords/judge.ts': [
    'worker/src/features/passwords/{attacks,limits,passwords,joints,old-hashes}.test.ts',
  ],
  'worker/src/features/passwords/limits.ts': [
    'worker/src/features/passwords/{attacks,limits}.test.ts',
  ],
  'worker/src/features/passwords/person-password.ts': [
    'worker/src/features/passwords/{attacks,joints,offer}.test.ts',
  ],
  'worker/src/features/passwords/set-password.ts': [
    'worker/src/features/passwords/{attacks,joints,offer,rules,limits}.test.ts',
    'worker/src/features/companies/attacks.test.ts',
  ],
  'worker/src/features/previews/settings.ts': [
    'worker/src/features/previews/{relay,targets}.test.ts',
  ],
  'worker/src/config/safe-redirect.ts': ['worker/src/config/safe-redirect*.test.ts'],
  'worker/src/features/second-factor/base32.ts': [
    'worker/src/features/second-factor/{otpauth,totp,recovery-codes}.test.ts',
  ],
  'worker/src/features/second-factor/demand.ts': [
    'worker/src/features/second-factor/with-passkeys.test.ts',
    'worker/src/features/second-factor/{enter-code,step-up}.test.ts',
  ],
  'worker/src/features/second-factor/otpauth.ts': [
    'worker/src/features/second-factor/otpauth.test.ts',
  ],
  'worker/src/features/second-factor/person-factor.ts': [
    'worker/src/features/second-factor/{person-factor-faults,with-passkeys,no-way-around}.test.ts',
    'worker/src/features/second-factor/set-up.test.ts',
    'worker/src/features/second-factor/people.test.ts',
  ],
  'worker/src/features/second-factor/factor-key.ts': [
    'worker/src/features/second-factor/{person-factor-faults,with-passkeys,no-way-around}.test.ts',
    'worker/src/features/second-factor/set-up.test.ts',
    'worker/src/features/second-factor/people.test.ts',
  ],
  'worker/src/features/second-factor/use-code.ts': [
    'worker/src/features/second-factor/{person-factor-faults,with-passkeys,no-way-around}.test.ts',
    'worker/src/features/second-factor/set-up.test.ts',
    'worker/src/features/second-factor/people.test.ts',
  ],
  'worker/src/features/second-factor/recovery-codes.ts': [
    'worker/src/features/second-factor/recovery-codes.test.ts',
  ],
  'worker/src/features/second-factor/totp.ts': ['worker/src/features/second-factor/totp.test.ts'],
  'worker/src/features/app-proofs/app-proof.ts': [
    'worker/src/features/app-proofs/app-proof*.test.ts',
  ],
  'worker/src/features/turnstile/check-human.ts': [
    'worker/src/features/turnstile/{check-human,pages}.test.ts',
  ],
  'worker/src/http/cookies.ts': [
    'worker/src/http/{cookies,embedded}.test.ts',
    'worker/src/sign-in/flow-cookie.test.ts',
  ],
  'worker/src/http/csrf.ts': [
    'worker/src/http/{csrf,stale-form}.test.ts',
    'worker/src/sign-in/typed-names.test.ts',
  ],
  'worker/src/http/device-cookie.ts': ['worker/src/http/device-cookie.test.ts'],
  'worker/src/features/account-import/signed-request.ts': [
    'worker/src/features/account-import/route.test.ts',
  ],
  'worker/src/http/known-origin.ts': ['worker/src/http/known-origin.test.ts'],
  'worker/src/features/last-way/index.ts': [
    'worker/src/features/last-way/last-way.test.ts',
    'worker/src/features/people/erase-ways.test.ts',
  ],
  'worker/src/http/process-counter.ts': ['worker/src/http/process-counter.test.ts'],
  'worker/src/http/post.ts': [
    'worker/src/http/{csrf,stale-form,body,targets}.test.ts',
    'worker/src/routes/fresh-sign-in.test.ts',
    'worker/src/features/turnstile/routes.test.ts',
  ],
  'worker/src/http/targets.ts': [
    'worker/src/config/{resolve-config,safe-redirect}.test.ts',
    'worker/src/http/{targets,stale-form}.test.ts',
    'worker/src/service/routes.test.ts',
    'worker/src/session/callback-faults.test.ts',
    'worker/src/sign-in/flow-cookie.test.ts',
    'worker/src/routes/not-found.test.ts',
  ],
  'worker/src/lib/key-ring.ts': [
    'worker/src/lib/key-ring.test.ts',
    'worker/src/session/rotation.test.ts',
  ],
  'worker/src/lib/pseudonyms.ts': ['worker/src/lib/pseudonyms.test.ts'],
  'worker/src/lib/seal.ts': ['worker/src/lib/{seal,key-ring}.test.ts'],
  'worker/src/features/old-sessions/authjs.ts': [
    'worker/src/features/old-sessions/{forged,continue-session}.test.ts',
  ],
  'worker/src/features/old-sessions/better-auth-cookies.ts': [
    'worker/src/features/old-sessions/{better-auth-cookies,find-session}.test.ts',
  ],
  'worker/src/features/old-sessions/better-auth.ts': [
    'worker/src/features/old-sessions/{forged,find-session,continue-session}.test.ts',
  ],
  'worker/src/features/old-sessions/jwe.ts': ['worker/src/features/old-sessions/forged.test.ts'],
  'worker/src/features/old-sessions/continue-session.ts': [
    'worker/src/features/old-sessions/{continue-session,find-session,forged,old-sessions}.test.ts',
  ],
  'worker/src/features/old-sessions/source.ts': [
    'worker/src/features/old-sessions/{continue-session,find-session,forged,old-sessions}.test.ts',
  ],
  'worker/src/features/old-sessions/old-person.ts': [
    'worker/src/features/old-sessions/{continue-session,old-person}.test.ts',
  ],
  'worker/src/passwords/read-hash.ts': ['worker/src/passwords/read-hash.test.ts'],
  'worker/src/passwords/verify-password.ts': [
    'worker/src/passwords/{verify-password,read-hash}.test.ts',
  ],
  'worker/src/features/people/erase.ts': [
    'worker/src/features/people/{erase,erase-ways}.test.ts',
    'worker/src/features/connections/added.test.ts',
    'worker/src/features/subjects/{subject-ways,hostile-subjects}.test.ts',
  ],
  'worker/src/features/people/forget-person.ts': [
    'worker/src/features/people/{erase,erase-ways}.test.ts',
    'worker/src/features/connections/added.test.ts',
    'worker/src/features/subjects/{subject-ways,hostile-subjects}.test.ts',
  ],
  'worker/src/features/connections/connection-tokens.ts': [
    'worker/src/features/connections/{connection-tokens,connections,added,connected-sessions}.test.ts',
  ],
  'worker/src/features/ways/fresh-post.ts': [
    'worker/src/routes/fresh-sign-in.test.ts',
    'worker/src/features/ways/ways.test.ts',
    'worker/src/features/passkeys/attacks.test.ts',
  ],
  'worker/src/features/account-import/route.ts': [
    'worker/src/features/account-import/route.test.ts',
  ],
  'worker/src/routes/revocations.ts': [
    'worker/src/routes/{revocations,revocations-pages,feed-names,own-revocations}.test.ts',
  ],
  'worker/src/session/read.ts': [
    'worker/src/session/{several-sessions,ended-elsewhere,token-life,unheard}.test.ts',
    'worker/src/routes/{sessions,fresh-sign-in}.test.ts',
    'worker/src/session/other-key.test.ts',
  ],
  'worker/src/session/one-writer.ts': [
    'worker/src/session/{renew-steps,extend,lost-update,null-callback}.test.ts',
  ],
  'worker/src/session/renew.ts': [
    'worker/src/session/{renew,renew-steps,extend,proved-again,null-callback,lost-update,rotation,token-life}.test.ts',
    'worker/src/session/{callbacks,callback-faults,kv-and-ledger-faults,sign-out-race,store-faults}.test.ts',
    'worker/src/routes/{renew,fresh-sign-in}.test.ts',
    'worker/src/features/connections/access-token.test.ts',
    'worker/src/service/log-lines.test.ts',
  ],
  'worker/src/session/refresh-claims.ts': ['worker/src/session/refresh-claims.test.ts'],
  'worker/src/session/revoke.ts': [
    'worker/src/session/{revoke,several-sessions,sign-out-race,ended-elsewhere,store-faults}.test.ts',
  ],
  'worker/src/person/subject.ts': ['worker/src/person/subject.test.ts'],
  'worker/src/features/ways/check-asker.ts': ['worker/src/features/ways/attacks.test.ts'],
  'worker/src/sign-in/approve.ts': [
    'worker/src/features/hold.test.ts',
    'worker/src/features/old-sessions/held.test.ts',
  ],
  'worker/src/sign-in/step-up.ts': [
    'worker/src/sign-in/step-up.test.ts',
    'worker/src/routes/fresh-sign-in.test.ts',
  ],
  'worker/src/sign-in/caller-parameters.ts': ['worker/src/sign-in/oauth/authorization-url.test.ts'],
  'worker/src/features/email/address.ts': ['worker/src/features/email/address*.test.ts'],
  'worker/src/features/email/flow.ts': [
    'worker/src/features/email/{flow,code-attacks,link-attacks}.test.ts',
    'worker/src/features/email/{routes-email,email-pages,email-strangers}.test.ts',
    'worker/src/http/known-origin.test.ts',
    'worker/src/service/log-lines.test.ts',
    'worker/src/features/ways/{ways,attacks}.test.ts',
    'worker/src/features/email/not-me.test.ts',
    'worker/src/sign-in/step-up.test.ts',
    'worker/src/routes/fresh-sign-in.test.ts',
  ],
  'worker/src/features/email/verification.ts': [
    'worker/src/features/email/{verification,refused-mail,code-attacks,link-attacks}.test.ts',
    'worker/src/features/email/email-strangers.test.ts',
    'worker/src/service/log-lines.test.ts',
    'worker/src/session/email-verified.test.ts',
    'worker/src/features/email/not-me.test.ts',
    'worker/src/sign-in/step-up.test.ts',
    'worker/src/features/ways/{ways,attacks}.test.ts',
    'worker/src/features/second-factor/people.test.ts',
  ],
  'worker/src/features/email/link.ts': [
    'worker/src/features/email/{verification,code-attacks,link-attacks,not-me}.test.ts',
    'worker/src/features/ways/{ways,attacks}.test.ts',
  ],
  'worker/src/features/email/request-mail.ts': [
    'worker/src/features/email/{verification,refused-mail,email-strangers}.test.ts',
    'worker/src/service/log-lines.test.ts',
    'worker/src/features/ways/{ways,attacks}.test.ts',
    'worker/src/sign-in/step-up.test.ts',
  ],
  'worker/src/features/email/send.ts': [
    'worker/src/features/email/{verification,refused-mail}.test.ts',
    'worker/src/features/ways/ways.test.ts',
  ],
  'worker/src/features/email/verify-request.ts': [
    'worker/src/features/email/{routes-email,email-pages}.test.ts',
    'worker/src/features/email/code-attacks.test.ts',
    'worker/src/features/ways/ways.test.ts',
  ],
  'worker/src/sign-in/flow-cookie.ts': [
    'worker/src/sign-in/{flow-steps,flow-cookie,used-once,step-up}.test.ts',
    'worker/src/features/second-factor/pending-sign-in.test.ts',
    'worker/src/features/second-factor/set-up.test.ts',
    'worker/src/features/email/email-pages.test.ts',
    'worker/src/features/email/code-attacks.test.ts',
    'worker/src/sign-in/oauth/callback-checks.test.ts',
    'worker/src/routes/fresh-sign-in.test.ts',
    'worker/src/features/connections/scopes.test.ts',
    'worker/src/features/ways/attacks.test.ts',
  ],
  'worker/src/sign-in/use-up.ts': [
    'worker/src/sign-in/{use-up,flow-steps,flow-cookie,used-once}.test.ts',
    'worker/src/features/email/email-pages.test.ts',
    'worker/src/features/email/code-attacks.test.ts',
    'worker/src/sign-in/oauth/callback-checks.test.ts',
  ],
  'worker/src/sign-in/identity.ts': [
    'worker/src/sign-in/identity.test.ts',
    'worker/src/sign-in/oauth/account-rules.test.ts',
  ],
  'worker/src/features/second-factor/pending-sign-in.ts': [
    'worker/src/features/second-factor/pending-sign-in.test.ts',
    'worker/src/features/second-factor/enter-code.test.ts',
    'worker/src/features/second-factor/no-way-around.test.ts',
  ],
  'worker/src/sign-in/oauth/index.ts': [
    'worker/src/sign-in/asking-provider.test.ts',
    'worker/src/sign-in/oauth/{flow,authorization-url,callback-checks}.test.ts',
  ],
  'worker/src/features/operate/operator/keys.ts': [
    'worker/src/features/operate/operator/keys.test.ts',
  ],
  'worker/src/features/operate/operator/method.ts': [
    'worker/src/features/operate/operator/method.test.ts',
  ],
  'worker/src/features/operate/operator/route.ts': [
    'worker/src/features/operate/operator/route.test.ts',
  ],
  'worker/src/features/openid/id-token.ts': [
    'worker/src/features/openid/id-token*.test.ts',
    'worker/src/providers/microsoft-entra-id.test.ts',
    'worker/src/sign-in/oauth/auth-time.test.ts',
  ],
  'worker/src/sign-in/oauth/client.ts': [
    'worker/src/sign-in/oauth/{token-answer,hostile-answers}.test.ts',
  ],
  'worker/src/features/passkeys/assertion.ts': [
    'worker/src/features/passkeys/{faults,vectors,ceremonies}.test.ts',
  ],
  'worker/src/features/passkeys/authenticator-data.ts': [
    'worker/src/features/passkeys/{authenticator-data,faults}.test.ts',
  ],
  'worker/src/features/passkeys/cbor.ts': ['worker/src/features/passkeys/{cbor,vectors}.test.ts'],
  'worker/src/features/passkeys/client-data.ts': [
    'worker/src/features/passkeys/{faults,vectors,ceremonies}.test.ts',
  ],
  'worker/src/features/passkeys/cose-key.ts': [
    'worker/src/features/passkeys/{cose-key,vectors}.test.ts',
  ],
  'worker/src/features/passkeys/credential.ts': ['worker/src/features/passkeys/credential.test.ts'],
  'worker/src/features/passkeys/registration.ts': [
    'worker/src/features/passkeys/{faults,vectors,ceremonies}.test.ts',
  ],
  'worker/src/features/passkeys/signature.ts': [
    'worker/src/features/passkeys/{signature,vectors}.test.ts',
  ],
  'worker/src/sign-in/redirect-flow.ts': [
    'worker/src/sign-in/{redirect-flow,flow-cookie,asking-provider,used-once,step-up}.test.ts',
    'worker/src/features/previews/relay.test.ts',
    'worker/src/sign-in/oauth/{callback-checks,form-post,issuer-parameter,auth-time}.test.ts',
    'worker/src/features/ways/attacks.test.ts',
  ],
  'worker/src/features/previews/relay.ts': ['worker/src/features/previews/{relay,targets}.test.ts'],
  'worker/src/sign-in/stale-sign-in.ts': ['worker/src/http/stale-form.test.ts'],
  'worker/src/stores/retry.ts': ['worker/src/stores/retry.test.ts'],
  'worker/src/stores/resharding-ledger.ts': ['worker/src/stores/ledger/reshard.test.ts'],
  'worker/src/stores/collected-revocations.ts': ['worker/src/stores/collected-revocations.test.ts'],
  'worker/src/stores/durable-ledger.ts': [
    'worker/src/stores/durable-ledger.test.ts',
    'worker/src/stores/ledger/{placement,schedules,sharding/sharding}.test.ts',
  ],
  'worker/src/stores/revoked-handles.ts': ['worker/src/stores/revoked-handles.test.ts'],
  'worker/src/stores/revocation-timeline.ts': ['worker/src/stores/revocation-timeline.test.ts'],
  'worker/src/stores/guarded-stores.ts': ['worker/src/stores/guarded-stores.test.ts'],
  'worker/src/stores/ledger-shards.ts': ['worker/src/stores/ledger-shards.test.ts'],
  'worker/src/stores/ledger/answers.ts': ['worker/src/stores/ledger/answers.test.ts'],
  'worker/src/stores/ledger/collector-answer.ts': ['worker/src/stores/ledger/collector.test.ts'],
  'worker/src/stores/ledger/collector.ts': ['worker/src/stores/ledger/collector.test.ts'],
  'worker/src/stores/ledger/reshard.ts': [
    'worker/src/stores/ledger/{reshard,reshard-steps}.test.ts',
  ],
  'worker/src/stores/memory.ts': ['worker/src/stores/ledger/{rows,map-rows,schedules}.test.ts'],
  'worker/src/stores/ledger/placement.ts': ['worker/src/stores/ledger/placement.test.ts'],
  'worker/src/stores/ledger/rows.ts': ['worker/src/stores/ledger/{rows,rules,documents}.test.ts'],
  'worker/src/stores/ledger/rules.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/attempts.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/documents.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/endings.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/mails.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/refreshes.ts': [
    'worker/src/stores/ledger/{schedules,rules,documents,reshard}.test.ts',
    'worker/src/stores/{stores,durable-ledger}.test.ts',
  ],
  'worker/src/stores/ledger/rules/stale.ts': [
    'worker/src/session/refresh-claims.test.ts',
    'worker/src/stores/ledger/rules.test.ts',
  ],
  'worker/src/stores/ledger/sharding/documents.ts': [
    'worker/src/stores/ledger/{documents,schedules,sharding/sharding}.test.ts',
    'worker/src/stores/durable-ledger.test.ts',
  ],
  'worker/src/stores/ledger/sharding/endings.ts': [
    'worker/src/stores/ledger/{schedules,sharding/sharding}.test.ts',
    'worker/src/stores/durable-ledger.test.ts',
  ],
  'worker/src/stores/ledger/sharding/forget.ts': [
    'worker/src/stores/ledger/{reshard,resharded,documents}.test.ts',
    'worker/src/stores/ledger/sharding/sharding.test.ts',
  ],
  'worker/src/stores/ledger/sharding/insertions.ts': [
    'worker/src/stores/ledger/insert-documents.test.ts',
    'worker/src/features/account-import/import-accounts.test.ts',
  ],
  'worker/src/stores/ledger/methods.ts': [
    'worker/src/stores/ledger/{schedules,sharding/sharding}.test.ts',
    'worker/src/stores/durable-ledger.test.ts',
  ],
  'worker/src/stores/ledger/sqlite-rows.ts': [
    'worker/src/stores/ledger/{rows,sqlite-rows,documents}.test.ts',
  ],
  'worker/src/stores/ledger/swept-map.ts': ['worker/src/stores/ledger/swept-map.test.ts'],
  'worker/src/stores/recent-revocations.ts': [
    'worker/src/stores/recent-revocations.test.ts',
    'worker/src/session/{unheard,ended-elsewhere}.test.ts',
  ],
  'worker/src/stores/whole-record.ts': ['worker/src/stores/whole-record.test.ts'],
  'worker/src/features/ways/confirm.ts': ['worker/src/features/ways/strength.test.ts'],
  'worker/src/features/ways/reach.ts': ['worker/src/features/ways/strength.test.ts'],
  'worker/src/features/ways/strength.ts': [
    'worker/src/features/ways/strength.test.ts',
    'worker/src/features/second-factor/before-the-set-up.test.ts',
  ],
  'worker/src/features/ways/add.ts': [
    'worker/src/features/ways/{add,ways,attacks}.test.ts',
    'worker/src/features/subjects/{subject-ways,hostile-subjects}.test.ts',
    'worker/src/features/second-factor/people.test.ts',
  ],
  'worker/src/features/ways/announce.ts': [
    'worker/src/features/ways/{announce,ways,attacks}.test.ts',
    'worker/src/features/second-factor/{with-passkeys,no-way-around}.test.ts',
    'worker/src/features/passkeys/{passkey,attacks}.test.ts',
  ],
  'worker/src/features/ways/changes.ts': [
    'worker/src/features/ways/changes.test.ts',
    'worker/src/features/subjects/subject-ways.test.ts',
    'worker/src/features/ways/{faults,dying}.test.ts',
  ],
  'worker/src/features/ways/find-person.ts': [
    'worker/src/features/ways/find-person.test.ts',
    'worker/src/features/subjects/{subject,subject-ways}.test.ts',
    'worker/src/features/newcomers/first-sign-in.test.ts',
  ],
  'worker/src/features/subjects/app-subject.ts': [
    'worker/src/features/subjects/{app-subject,subject,subject-ways}.test.ts',
  ],
  'worker/src/features/account-import/import-accounts.ts': [
    'worker/src/features/account-import/{import-accounts,import-documents}.test.ts',
    'worker/src/features/account-import/route.test.ts',
  ],
  'worker/src/features/account-import/claim-accounts.ts': [
    'worker/src/features/account-import/{import-accounts,import-documents}.test.ts',
    'worker/src/features/account-import/route.test.ts',
  ],
  'worker/src/features/ways/remove.ts': ['worker/src/features/ways/{ways,attacks,faults}.test.ts'],
  'worker/src/person/claim.ts': [
    'worker/src/features/subjects/subject.test.ts',
    'worker/src/person/claim.test.ts',
  ],
  'worker/src/person/present-person.ts': [
    'worker/src/person/present-person.test.ts',
    'worker/src/features/ways/find-person.test.ts',
    'worker/src/features/subjects/{subject,subject-ways}.test.ts',
    'worker/src/features/newcomers/first-sign-in.test.ts',
  ],
  'worker/src/sign-in/pending.ts': [
    'worker/src/features/hold.test.ts',
    'worker/src/features/second-factor/pending-sign-in.test.ts',
  ],
  'worker/src/person/way-document.ts': [
    'worker/src/person/way-document.test.ts',
    'worker/src/features/ways/{find-person,ways}.test.ts',
    'worker/src/features/subjects/{subject-ways,hostile-subjects}.test.ts',
  ],
}
