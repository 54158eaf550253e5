export { default } from '@latchkey/worker/providers/oidc'
