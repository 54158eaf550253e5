export * from '@latchkey/worker/providers/keycloak'
export { default } from '@latchkey/worker/providers/keycloak'
