/** Files of the site of the shown pages, by their paths. */
export const SITE_FILES: Readonly<Record<string, string>> = {
  '/logo.svg': logo('#1a1c22', '#0f766e'),
  '/logo-dark.svg': logo('#ffffff', '#5eead4'),
  '/day.svg': hills('#bfdbfe', '#86efac', '#4ade80'),
  '/night.svg': hills('#1e1b4b', '#14532d', '#052e16'),
}

function logo(ink: string, mark: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40"><circle cx="20" cy="20" r="18" fill="${mark}"/><text x="48" y="29" font-family="sans-serif" font-size="27" font-weight="700" fill="${ink}">Acme</text></svg>`
}

function hills(sky: string, far: string, near: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 160" preserveAspectRatio="xMidYMid slice"><path fill="${sky}" d="M0 0h160v160H0z"/><path fill="${far}" d="M0 90q40-40 80 0t80-10v80H0z"/><path fill="${near}" d="M0 130q50-40 100 0t60-20v50H0z"/></svg>`
}
