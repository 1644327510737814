Feature: What fails answers the default of the code

  Background:
    Given a stable provider

  Scenario Outline: A flag of another type
    Given a <type>-flag with key "<key>" and a default value "<default>"
    When the flag was evaluated with details
    Then the resolved details value should be "<default>"
    And the reason should be "ERROR"
    And the error-code should be "TYPE_MISMATCH"
    And no exception should have been thrown

    Examples:
      | key        | type    | default |
      | plain      | String  | mine    |
      | plain      | Integer | 7       |
      | zero       | Boolean | true    |
      | zero       | String  | mine    |
      | empty      | Boolean | true    |
      | empty      | Float   | 0.5     |
      | shape      | String  | mine    |
      | plain      | Object  | {}      |
      | by-country | Boolean | true    |

  Scenario Outline: A flag that does not exist
    Given a <type>-flag with key "nowhere" and a default value "<default>"
    When the flag was evaluated with details
    Then the resolved details value should be "<default>"
    And the reason should be "ERROR"
    And the error-code should be "FLAG_NOT_FOUND"
    And no exception should have been thrown

    Examples:
      | type    | default |
      | Boolean | true    |
      | String  | mine    |
      | Integer | 7       |
      | Object  | {}      |
