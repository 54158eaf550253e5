// Keeps the directions in which imports may go, which the compiler does not.

const test = '([.]test[.]ts|/test-support/.*|/test-[^/]+[.]ts)$'

/** @returns a rule: nothing in `from` may import `to` */
function never(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to }
}

export default {
  forbidden: [
    never(
      'no-cycles',
      'Two files that need each other at run time are one idea. Types may name each other.',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    never(
      'resolvable',
      'The import names nothing; a package must be built before it can be imported by its name.',
      // The benchmark installs the alternatives when it first runs, and its compiler checks them then.
      { pathNot: '^bench/' },
      // SvelteKit's own, which its plugin for Vite resolves.
      { couldNotResolve: true, pathNot: '^[$]app/|[$]types$' },
    ),
    never(
      'session-needs-jose-only',
      'Every app that verifies a session carries this package.',
      { path: '^session/src/', pathNot: test },
      { pathNot: ['^session/src/', '^node_modules/jose/'] },
    ),
    never(
      'session-tokens-know-no-verifier',
      'An auditor reads the format alone: no I/O, no clock.',
      { path: '^session/src/token/', pathNot: test },
      { path: '^session/src/(?!(token|lib)/)' },
    ),
    never(
      'session-lib-is-the-bottom',
      'It knows nothing of sessions.',
      { path: '^session/src/lib/', pathNot: test },
      { path: '^session/src/(?!lib/)' },
    ),
    never(
      'host-needs-session-and-jose',
      'Every app with an adapter carries it, and the service is handed over to it.',
      { path: '^host/src/', pathNot: test },
      {
        pathNot: ['^host/src/', '^session/src/(index|issue|internal)[.]ts$', '^node_modules/jose/'],
      },
    ),
    never(
      'host-shares-without-an-adapter',
      'The service has what is shared, and no part of what stands in an app.',
      { path: '^host/src/shared([.]ts$|/)', pathNot: test },
      { path: '^host/src/(?!shared/)' },
    ),
    never(
      'worker-needs-few',
      'The Worker is hono, jose, oauth4webapi, the session and host packages by their names, and itself.',
      { path: '^worker/src/', pathNot: test },
      {
        pathNot: [
          '^worker/src/',
          // The declaration of '#operate-ledger': a user's compiler would check the source of another package.
          '^worker/dist/features/operate/ledger[.]d[.]ts$',
          '^session/src/(index|issue|internal)[.]ts$',
          '^host/src/shared[.]ts$',
          '^node_modules/(hono|jose|oauth4webapi|@hono/oauth-providers)/',
          '^node_modules/(bcryptjs|@phi-ag/argon2|@noble/hashes)/',
          '^cloudflare:',
        ],
      },
    ),
    never(
      'worker-passwords-stand-alone',
      'The service needs no library for passwords: an app with old passwords imports the entry. The feature that keeps some hashes by it.',
      { path: '^worker/src/(?!(?:features/)?passwords([.]ts$|/))', pathNot: test },
      { path: '^(worker/src/passwords/|node_modules/(bcryptjs|@phi-ag/argon2|@noble/hashes)/)' },
    ),
    never(
      'worker-imports-statically',
      'In the one file of a bundle import() leaves nothing out, and costs bytes and start-up.',
      {
        path: '^worker/src/',
        pathNot: [
          test,
          // What verifies old passwords is asked for by its own entry, and its packages may not be installed.
          '^worker/src/passwords/',
          // A table is one packed text, which is read through once in a bundle, and on Node not at all.
          '^worker/src/languages/tags/',
          '^worker/src/features/authorization-server/(?:index|load-translations)[.]ts$',
          '^worker/src/features/(?:companies|new-browsers|passwords)/load-translations[.]ts$',
        ],
      },
      { dynamic: true },
    ),
    never(
      'client-needs-session-only',
      'Every page that shows who is signed in loads this package.',
      { path: '^client/src/', pathNot: test },
      { pathNot: ['^client/src/', '^session/src/index[.]ts$', '^node_modules/(@types/)?react/'] },
    ),
    never(
      'client-knows-no-framework',
      'The store is for every framework, and a page without React must not load it.',
      { path: '^client/src/(?!react)', pathNot: test },
      { path: ['^client/src/react', '^node_modules/(@types/)?react/'] },
    ),
    never(
      'framework-adapters-use-public-entries',
      'They use the other packages as any user does, and the host, which is theirs.',
      { path: '^adapters/([^/]+)/src/', pathNot: test },
      {
        path: '^(session|host|client|worker|adapters|sandbox)/',
        pathNot: [
          '^adapters/$1/',
          '^client/src/(index|react|internal|react-internal)[.]ts$',
          '^session/src/(index|issue)[.]ts$',
          '^host/src/index[.]ts$',
          '^worker/src/(?!worker)[^/]+[.]ts$',
          '^worker/src/(providers|stores)/',
        ],
      },
    ),
    never(
      'command-uses-public-entries',
      'It is run from its own package, wherever an app is.',
      { path: '^cli/src/', pathNot: test },
      {
        path: '^(session|host|client|worker|adapters|sandbox|examples|scripts)/',
        pathNot: [
          '^session/src/[^/]+[.]ts$',
          '^host/src/shared[.]ts$',
          '^worker/src/(?!worker)[^/]+[.]ts$',
          '^worker/src/(providers|stores)/[^/]+[.]ts$',
        ],
      },
    ),
    never(
      'nothing-needs-the-commands',
      'They are started by hand. The command finds those of the package migrate by its name, when it is asked for one.',
      { path: '^(session|host|client|worker|adapters|cli|sandbox|examples)/' },
      { path: '^(cli|migrate)/', pathNot: '^$1/' },
    ),
    never(
      'migrate-uses-public-entries',
      'It brings compilers, and has the terminal and the words of the command from there.',
      { path: '^migrate/src/', pathNot: test },
      {
        path: '^(session|host|client|worker|adapters|cli|sandbox|examples|scripts)/',
        pathNot: [
          '^host/src/shared[.]ts$',
          '^worker/src/(?!worker)[^/]+[.]ts$',
          '^worker/src/(providers|stores)/[^/]+[.]ts$',
          '^worker/src/features/[^/]+/index[.]ts$',
          '^cli/src/internal[.]ts$',
        ],
      },
    ),
    never(
      'sandbox-stands-alone',
      'A stand-in that shared code with the Worker would share its mistakes.',
      { path: '^sandbox/', pathNot: test },
      { path: '^(host|client|worker|adapters|examples|scripts)/' },
    ),
    never(
      'public-names-only',
      'What users cannot import, examples, tests, benchmarks and scripts do not import either, but for the simulator and the pictures of every page, which run the parts themselves, the units that run in workerd too, and the reader of manifests, which needs their type.',
      {
        path: '^(examples|test|bench|scripts)/',
        pathNot:
          '^(bench/scale|test/pictures)/|^test/workerd/units[.]test[.]ts$|^scripts/generate/read-capabilities[.]ts$',
      },
      {
        path: '^(session|host|client|worker|adapters/[^/]+|sandbox)/',
        pathNot: [
          '^(session|host|worker|adapters/[^/]+|sandbox)/src/[^/]+[.]ts$',
          '^client/src/(index|react)[.]ts$',
          '^adapters/[^/]+/src/(components|providers)/',
          '^worker/src/(providers|stores|languages/tags)/',
          '^worker/src/features/[^/]+/index[.]ts$',
        ],
      },
    ),
    never(
      'by-package-name',
      'Another package is imported by its name, never by a path into it.',
      {
        path: '^((session|host|client|worker|cli|migrate|adapters/[^/]+|sandbox)(?=/)|examples|test|bench|scripts)',
        pathNot:
          '^test/pictures/|^test/workerd/units[.]test[.]ts$|^scripts/(generate/read-capabilities|demo-worker)[.]ts$',
      },
      {
        path: '^(session|host|client|worker|cli|migrate|adapters/[^/]+|sandbox)/',
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased'],
      },
    ),
    never(
      'nothing-needs-the-outside',
      'Examples, tests and benchmarks can be deleted without breaking anything but the stopwatch, which needs a browser.',
      { pathNot: ['^(examples|test|bench)/', '^scripts/stopwatch[.]ts$', test] },
      { path: '^(examples|test|bench)/' },
    ),
    never(
      'examples-need-packages-only',
      'An example is what a user would write.',
      { path: '^examples/' },
      { path: '^(test|bench|scripts)/' },
    ),
    // The rooms of the worker, from the top down. Each rule is one direction.
    never(
      'worker-service-is-the-top',
      'Only entries, features and tests know what puts the service together; others know its types alone.',
      { path: '^worker/src/[^/]+/', pathNot: ['^worker/src/(service|features)/', test] },
      {
        path: '^worker/src/(service/|(worker|index|core)[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    never(
      'worker-routes-are-below-the-service',
      'Routes call the flows, not the other way round.',
      { path: '^worker/src/(?!(routes|service|features)/)[^/]+/', pathNot: test },
      { path: '^worker/src/routes/' },
    ),
    never(
      'worker-core-imports-no-feature',
      'A Worker bundles the features that it lists, so nothing else may reach one: but entries, and presets that bring their kind of sign-in.',
      {
        path: '^worker/src/',
        pathNot: ['^worker/src/(features|providers)/', '^worker/src/[^/]+[.]ts$', test],
      },
      { path: '^worker/src/features/', pathNot: '/(texts|types)[.]ts$' },
    ),
    never(
      'worker-core-brings-no-texts-of-features',
      'Generated types name the texts and the public types of each feature, and a Worker has the texts of its own features.',
      { path: '^worker/src/(?!features/)', pathNot: test },
      { path: '^worker/src/features/[^/]+/(texts|types)[.]ts$', dependencyTypesNot: ['type-only'] },
    ),
    never(
      'worker-evaluates-no-manifest',
      'A manifest is for the generator, so its texts cost no byte.',
      { path: '^worker/src/' },
      { path: '^worker/src/(features/[^/]+/manifest|service/own-methods)[.]ts$' },
    ),
    never(
      'worker-entries-know-the-list',
      'Which features there are is written in one file, and what the shipped Worker has besides in another. Its ledger is a class.',
      { path: '^worker/src/[^/]+[.]ts$', pathNot: ['^worker/src/migrate[.]ts$', test] },
      { path: '^worker/src/features/(?!(all|shipped|operate/ledger)[.]ts$)' },
    ),
    never(
      'worker-presets-know-kinds-alone',
      'A preset is a value that names its kind of sign-in, or a service that sends mails.',
      { path: '^worker/src/providers/', pathNot: test },
      { path: '^worker/src/features/(?!(email|openid|passkeys)/(kind|senders|resend)[.]ts$)' },
    ),
    never(
      'worker-kinds-of-sign-in-by-their-registry',
      'No code tests the kind of a provider: a provider brings its kind, or the registry has it.',
      {
        path: '^worker/src/',
        pathNot: [
          // What a company and its assertions are is said in terms of OpenID alone.
          '^worker/src/(sign-in|providers|features/(openid|companies|authorization-server/assertions))/',
          test,
        ],
      },
      { path: '^worker/src/sign-in/[^/]+/' },
    ),
    never(
      'worker-kinds-of-sign-in-are-apart',
      'One can be deleted without breaking another.',
      { path: '^worker/src/sign-in/([^/]+)/', pathNot: test },
      { path: '^worker/src/sign-in/[^/]+/', pathNot: '^worker/src/sign-in/$1/' },
    ),
    never(
      'worker-kinds-of-sign-in-share-what-is-above',
      'Shared code knows no kind; only the registry does.',
      { path: '^worker/src/sign-in/(?!kinds[.])[^/]+[.]ts$', pathNot: test },
      { path: '^worker/src/sign-in/[^/]+/' },
    ),
    never(
      'worker-sessions-know-no-sign-in',
      'A session is read without what starts one.',
      { path: '^worker/src/(session|person)/', pathNot: test },
      { path: '^worker/src/sign-in/' },
    ),
    never(
      'worker-people-know-no-session',
      'A session begins with a person, and a person is read without one.',
      { path: '^worker/src/person/', pathNot: test },
      { path: '^worker/src/session/' },
    ),
    never(
      'worker-presets-are-for-entries',
      'Variables turn on every preset: a service that lists its own carries no table of them.',
      { path: '^worker/src/[^/]+/', pathNot: ['^worker/src/presets/', test] },
      { path: '^worker/src/presets/' },
    ),
    never(
      'worker-http-is-below-the-flows',
      'The types of a request and its outcome import no decision about them.',
      { path: '^worker/src/http/', pathNot: test },
      { path: '^worker/src/(sign-in|session|providers|person)/' },
    ),
    never(
      'worker-config-and-stores-are-below-http',
      'They know no request, and no preset.',
      { path: '^worker/src/(config|stores)/', pathNot: test },
      { path: '^worker/src/(sign-in|session|providers|pages|http|person)/' },
    ),
    never(
      'worker-config-makes-no-store',
      'A configuration is a frozen value; the service makes the objects that it names.',
      { path: '^worker/src/config/', pathNot: test },
      { path: '^worker/src/stores/' },
    ),
    never(
      'worker-lib-is-the-bottom',
      'It knows nothing of this service.',
      { path: '^worker/src/lib/', pathNot: test },
      { path: '^worker/src/(?!lib/)' },
    ),
    never(
      'worker-pages-know-pages-only',
      'A page is a function of its properties, texts among them: no request, no configuration.',
      { path: '^worker/src/pages/', pathNot: test },
      { path: '^worker/src/(?!(pages|languages)/)' },
    ),
    never(
      'worker-languages-are-texts',
      'They know nothing of what says them. The type of all texts names those of each feature.',
      { path: '^worker/src/languages/', pathNot: test },
      { path: '^worker/src/(?!languages/)', pathNot: '^worker/src/features/[^/]+/texts[.]ts$' },
    ),
    never(
      'tables-of-languages-are-texts',
      'A translator reads one file, whose type says which texts there are.',
      { path: '^languages/' },
      { pathNot: '^worker/src/languages/texts[.]ts$' },
    ),
    never(
      'tables-of-languages-are-packed',
      'Nobody else reads a table: what the Worker loads is made of it.',
      { pathNot: '^languages/' },
      { path: '^languages/' },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    // Apps of others, which are installed where they are tested.
    exclude: {
      path: [
        '/[.](astro|next|react-router|svelte-kit|wrangler)/',
        '^examples/(sveltekit|react-router)/build/',
        '^test/next/[^/]+/',
        '^test/moving-in(?:-next)?/[^/]+/',
      ],
    },
    builtInModules: { add: ['cloudflare:workers', 'cloudflare:test', 'cloudflare:email'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default', 'types'],
    },
  },
}
