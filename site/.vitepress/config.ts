import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress'
import { anchorOf } from '../../scripts/anchor-of.ts'
import {
  addressOf,
  brokenLinks,
  from,
  type Group,
  INDEX,
  pagesOf,
  readNavigation,
} from '../pages.ts'

/** The pages are built where they stand: the sources are the repository itself. */
const root = join(import.meta.dirname, '../..')
/** The repository's address, such as https://git.example/latchkey: links to its files, and to change a page. */
const repository = process.env.SITE_REPOSITORY?.replace(/\/+$/, '')

const groups = readNavigation(root)
const pages = pagesOf(groups)
const broken = pages.flatMap((path) => brokenLinks(root, path).map((link) => `${path}: ${link}`))
if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`)

const others = globSync('**/*.md', {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|\.git)$/.test(String(path)),
}).filter((path) => !pages.includes(path))

export default defineConfig({
  title: 'Latchkey',
  description:
    'Sign-in for web apps, on Cloudflare or Node: no user database, and sessions that each app verifies itself.',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['**/node_modules/**', '**/dist/**', ...others],
  outDir: 'dist',
  rewrites: Object.fromEntries(pages.map((path) => [path, addressOf(path)])),
  cleanUrls: true,
  // Apps on the reader's own machine.
  ignoreDeadLinks: 'localhostLinks',
  vite: {
    plugins: [vueOfThisFolder(), productOnTheHomePage()],
    // The index of the search is one large part.
    build: { chunkSizeWarningLimit: 2000 },
  },
  head: [['link', { rel: 'icon', href: mark() }]],
  markdown: {
    // The same anchors as in the repository.
    anchor: { slugify: anchorOf },
    config: readAsTheRepositoryDoes,
  },
  themeConfig: {
    logo: mark(),
    nav: [
      ...['Guides', 'Reference', 'Reasons'].map((text) => ({
        text,
        link: first(text),
        activeMatch: active(text),
      })),
      { text: 'Decisions', link: first('Decisions'), activeMatch: '^/decisions' },
    ],
    sidebar: {
      '/decisions': groups.filter(({ title }) => title === 'Decisions').map(sidebarOf),
      '/': groups.filter(({ title }) => title !== 'Decisions').map(sidebarOf),
    },
    outline: [2, 3],
    search: { provider: 'local' },
    repository,
  } as DefaultTheme.Config & { repository: string | undefined },
  buildEnd: ({ outDir }) => sourcesForAgents(outDir),
  transformPageData(page) {
    if (page.filePath === INDEX) Object.assign(page.frontmatter, home())
  },
})

/** The pages as they are written, at their paths in the repository, where the links of llms.txt lead. */
function sourcesForAgents(outDir: string): void {
  for (const path of ['llms.txt', 'llms-full.txt', 'skills/latchkey/SKILL.md', ...pages]) {
    cpSync(join(root, path), join(outDir, path))
  }
}

function sidebarOf({ title, pages, groups }: Group): DefaultTheme.SidebarItem {
  return {
    text: title,
    items: [
      ...pages.map((page) => ({ text: page.title, link: linkTo(page.path) })),
      ...groups.map((group) => ({ ...sidebarOf(group), collapsed: true })),
    ],
  }
}

function group(title: string): Group {
  const found = groups.find((one) => one.title === title)
  if (!found) throw new Error(`${INDEX} has no heading "${title}".`)
  return found
}

function first(title: string): string {
  const [, page = INDEX] = pagesOf([group(title)])
  return linkTo(page)
}

function active(title: string): string {
  const links = pagesOf([group(title)])
    .filter((path) => path !== INDEX)
    .map(linkTo)
  return `^(?:${links.join('|')})$`
}

function linkTo(path: string): string {
  return `/${addressOf(path).replace(/(?:^index)?\.md$/, '')}`
}

function home(): Record<string, unknown> {
  return {
    layout: 'home',
    hero: {
      name: 'Latchkey',
      text: 'Sign-in for your web apps',
      tagline:
        'On Cloudflare or Node, without a user database. Each app verifies sessions itself, and a sign-out reaches every app within seconds.',
      actions: group('Start here')
        .pages.slice(0, 4)
        .map(({ title, path }, index) => ({
          text: title,
          link: linkTo(path),
          theme: index === 0 ? 'brand' : 'alt',
        })),
      image: {
        light: picture('sign-in-light.webp'),
        dark: picture('sign-in-dark.webp'),
        alt: 'Sign-in page',
      },
    },
  }
}

/** Frontmatter cannot import a file, so that the picture is part of the page. */
function picture(name: string): string {
  return `data:image/webp;base64,${readFileSync(join(root, 'docs/pictures', name), 'base64')}`
}

/** Puts the Worker and the figures of README.md before the list of pages. */
function productOnTheHomePage(): Plugin {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  return {
    name: 'product-on-the-home-page',
    enforce: 'pre',
    transform(text, id) {
      if (!id.endsWith(INDEX)) return undefined
      const service = sectionOf(readme, '### Build your own').split('```')[1]
      const measured = sectionOf(readme, '## Measured').replaceAll('](', '](../')
      return `## The whole service\n\n\`\`\`${service}\`\`\`\n\n## Measured\n\n${measured}\n\n${text}`
    },
  }
}

function sectionOf(text: string, heading: string): string {
  const [, rest] = text.split(`\n${heading}\n`)
  if (!rest) throw new Error(`README.md has no heading "${heading}".`)
  return rest.split(/\n#+ /)[0]?.trim() ?? ''
}

/** Pages are modules of the repository, which has no Vue. Where they are rendered it is found from this folder. */
function vueOfThisFolder(): Plugin {
  return {
    name: 'vue-of-this-folder',
    enforce: 'pre',
    resolveId: (id, _, { ssr } = {}) =>
      ssr && /^vue(?:\/server-renderer)?$/.test(id) ? { id, external: true } : undefined,
  }
}

/** Leads links to files to the page that a file is, or to the repository. */
function readAsTheRepositoryDoes(md: MarkdownRenderer): void {
  const sourceOf = ({ realPath, path }: { realPath?: string; path?: string } = {}) =>
    (realPath ?? path ?? '').slice(root.length + 1)
  md.core.ruler.push('links', (state) => {
    for (const { children } of state.tokens) {
      let close: Token | undefined
      for (const token of children?.toReversed() ?? []) {
        // Braces in code are no expressions of Vue.
        if (token.type === 'code_inline') token.attrSet('v-pre', '')
        if (token.type === 'link_close') close = token
        if (token.type === 'link_open' && close) lead(token, close, sourceOf(state.env))
      }
    }
  })
}

type Token = Parameters<Parameters<MarkdownRenderer['core']['process']>[0]['tokens']['push']>[0]

function lead(open: Token, close: Token, source: string): void {
  const href = open.attrGet('href') ?? ''
  if (/^(?:[a-z]+:|#)/.test(href)) return
  const [target = '', hash] = href.split('#')
  const path = from(source, target)
  const address = addressFor(path)
  if (address) {
    open.attrSet('href', address + (hash ? `#${hash}` : ''))
    return
  }
  // Without a repository there is no link: the reader gets the path.
  open.attrs = [['title', path]]
  open.tag = 'span'
  close.tag = 'span'
}

/** The address of a page, or of a file or folder of the repository. */
function addressFor(path: string): string | undefined {
  const page = [path, `${path}/README.md`].find((one) => pages.includes(one))
  if (page) return linkTo(page)
  return repository && `${repository}/blob/main/${path}`
}

function mark(): string {
  const path =
    '<path d="M15 7h5a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-5M6 14h10m-4-4 4 4-4 4" fill="none" stroke="#3b5bdb" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/>'
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28">${path}</svg>`)}`
}
