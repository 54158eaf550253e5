// Keeps the directions in which imports may go, which the compiler does not.

const test = '([.]test[.]ts|/test-support/.*|/test-[^/]+[.]ts)$'

/** @returns a rule: nothing in `from` may import `to` */
function never(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to }
}

export default {
  forbidden: [
    never('no-cycles', 'Two files that need each other are one idea.', {}, { circular: true }),
    never(
      'resolvable',
      'The import names nothing; a package must be built before it can be imported by its name.',
      // What the benchmark compares is installed when it first runs, and its compiler checks it then.
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
      'worker-needs-few',
      'The Worker is hono, jose, oauth4webapi, the session package by its name, and itself.',
      { path: '^worker/src/', pathNot: test },
      {
        pathNot: [
          '^worker/src/',
          '^session/src/(index|issue|internal|adapter)[.]ts$',
          '^node_modules/(hono|jose|oauth4webapi|@hono/oauth-providers)/',
          '^cloudflare:',
        ],
      },
    ),
    never(
      'framework-adapters-use-public-entries',
      'They use the worker and the session package as any user does.',
      { path: '^adapters/([^/]+)/src/', pathNot: test },
      {
        path: '^(session|worker|adapters|sandbox)/',
        pathNot: [
          '^adapters/$1/',
          '^session/src/[^/]+[.]ts$',
          '^worker/src/(?!worker)[^/]+[.]ts$',
          '^worker/src/(providers|stores)/',
        ],
      },
    ),
    never(
      'sandbox-stands-alone',
      'A stand-in that shared code with the Worker would share its mistakes.',
      { path: '^sandbox/', pathNot: test },
      { path: '^(worker|adapters|examples|scripts)/' },
    ),
    never(
      'public-names-only',
      'What users cannot import, examples, tests, benchmarks and scripts do not import either.',
      { path: '^(examples|test|bench|scripts)/' },
      {
        path: '^(session|worker|adapters/[^/]+|sandbox)/',
        pathNot: [
          '^(session|worker|adapters/[^/]+|sandbox)/src/[^/]+[.]ts$',
          '^adapters/[^/]+/src/(components|providers)/',
          '^worker/src/(providers|stores)/',
        ],
      },
    ),
    never(
      'by-package-name',
      'Another package is imported by its name, never by a path into it.',
      { path: '^((session|worker|adapters/[^/]+|sandbox)(?=/)|examples|test|bench|scripts)' },
      {
        path: '^(session|worker|adapters/[^/]+|sandbox)/',
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased'],
      },
    ),
    never(
      'nothing-needs-the-outside',
      'Examples, tests and benchmarks can be deleted without breaking anything.',
      { pathNot: ['^(examples|test|bench)/', test] },
      { path: '^(examples|test|bench)/' },
    ),
    never(
      'examples-need-packages-only',
      'An example is what a user would write.',
      { path: '^examples/' },
      { path: '^(test|bench|scripts)/' },
    ),
    never(
      'pages-know-pages-only',
      'A page is a function of its properties: no request, no configuration.',
      { path: '^worker/src/pages/', pathNot: test },
      { path: '^worker/src/(?!pages/)' },
    ),
    never(
      'flows-know-no-routes',
      'Routes call these, not the other way round.',
      {
        path: '^worker/src/(sign-in|session|provider-tokens|config|providers|stores|lib)/',
        pathNot: test,
      },
      { path: '^worker/src/(service/|routes/|worker[.]ts$|index[.]ts$)' },
    ),
    never(
      'flows-know-no-pages',
      'What a browser sees is decided where the route is.',
      {
        path: '^worker/src/(sign-in|session|provider-tokens|providers|stores)/',
        pathNot: test,
      },
      // A mail is markup in the theme's colours too.
      { path: '^worker/src/pages/', pathNot: '^worker/src/pages/(markup|theme)[.]ts$' },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/[.]svelte-kit/', '^examples/sveltekit/build/'] },
    builtInModules: { add: ['cloudflare:workers', 'cloudflare:test', 'cloudflare:email'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default', 'types'],
    },
  },
}
