import { emptyColors, themeOf } from '../../config/theme-of.js'
import type { Feature } from '../../service/feature.js'
import type { ThemeConfig } from '../../types.js'
import { themeProblems } from './theme-problems.js'

/** The log names the values of the theme that pages leave out or replace (docs/pages.md). */
export const themeChecks: Feature<ThemeConfig> = {
  name: 'theme-checks',
  configure: ({ theme }, { env }) => themeOf(theme, env),
  warn: (theme, { env }) =>
    [...themeProblems(theme), ...emptyColors(env)].map((line) => ['theme', line] as const),
}
