import { InvalidCheck } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import { findApp } from '../find-app.js'
import { accessAlgOf } from '../tokens.js'
import { hasEnded, type ReadDevice } from './waiting-device.js'

/** The app for which a device waits. @returns `undefined`: it waits no longer */
export function waitsFor(request: AuthRequest, { device }: ReadDevice) {
  const app = findApp(request, device.app)
  if (device.state !== 'pending' || hasEnded(request, device) || !app?.isDevice) return undefined
  return accessAlgOf(request, app, device.resource) && app
}

/** @throws {InvalidCheck} what a form names waits no longer */
export function nothingWaits(): InvalidCheck {
  return new InvalidCheck('No device waits for a decision.')
}
