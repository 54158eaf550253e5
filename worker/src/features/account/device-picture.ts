import type { Words } from '../../languages/texts.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import type { DeviceKind } from '../../session/device.js'

/**
 * The kind of a device as a picture, which screen readers read out. An unknown device has only its
 * name.
 */
export function DevicePicture(kind: DeviceKind, { texts }: Words): Markup {
  const said =
    kind === 'unknown'
      ? { 'aria-hidden': 'true' }
      : { role: 'img', 'aria-label': texts.devices[kind] }
  return html`<svg class="kind" viewBox="0 0 24 24"${attributes(said)}>${shapeOf(kind)}</svg>`
}

function shapeOf(kind: DeviceKind): Markup {
  switch (kind) {
    case 'phone':
      return html`<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>`
    case 'tablet':
      return html`<rect x="5" y="3" width="14" height="18" rx="2"/><path d="M11 18h2"/>`
    case 'laptop':
      return html`<rect x="5" y="5" width="14" height="10" rx="1.5"/><path d="M2.5 19h19"/>`
    case 'unknown':
      return html`<circle cx="12" cy="12" r="9"/><path d="M9.6 9.5a2.5 2.5 0 1 1 3.5 2.3c-.8.3-1.1.9-1.1 1.7m0 3v.1"/>`
  }
}
