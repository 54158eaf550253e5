export { GET } from '../../wrapped/route'
